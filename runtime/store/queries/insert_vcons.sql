-- Insert vCons with every row derived from them: all of a vCon or nothing of it; the uuids that came in are
-- returned. A uuid that is there already is left alone. Rows of elements name their vCon by uuid.
with features as (
    select r.vcon as uuid, array_agg(r.feature) as features
    from unnest($55::uuid[], $56::text[]) as r (vcon, feature)
    group by r.vcon
), given as (
    select * from unnest(
        $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::json[], $8::json[],
        $9::json[], $10::text[], $11::bytea[], $12::integer[], $13::integer[], $14::integer[], $15::integer[],
        $16::text[], $17::tsvector[]
    ) as g (
        uuid, created_at, stored_at, spec_version, subject_folded, head, metadata,
        conformance, signed_form, content_digest, parties, dialogs, analyses, attachments,
        tag_carriers, words
    )
    left join features using (uuid)
), inserted as (
    insert into vcontract.vcon (
        tenant, uuid, created_at, stored_at, updated_at, spec_version, subject_folded, head, metadata,
        conformance, signed_form, content_digest, parties, dialogs, analyses, attachments, tag_carriers, features
    )
    select
        $1, uuid, created_at, stored_at, stored_at, spec_version, subject_folded, head, metadata,
        conformance, signed_form, content_digest, parties, dialogs, analyses, attachments, tag_carriers,
        coalesce(features, '{}')
    from given
    on conflict (tenant, uuid) do nothing
    returning uuid
), documents as (
    insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
    select $1, 'vcon', uuid, g.created_at, g.words from given g join inserted using (uuid)
), party_rows as (
    insert into vcontract.party (tenant, vcon, index, doc, name_folded, email_folded, tel_digits)
    select $1, r.vcon, r.index, r.doc, r.name, r.email, r.tel
    from unnest($18::uuid[], $19::integer[], $20::json[], $21::text[], $22::text[], $23::text[])
        as r (vcon, index, doc, name, email, tel)
    where r.vcon in (select uuid from inserted)
), dialog_rows as (
    insert into vcontract.dialog (tenant, vcon, index, doc, type)
    select $1, r.vcon, r.index, r.doc, r.type
    from unnest($24::uuid[], $25::integer[], $26::json[], $27::text[]) as r (vcon, index, doc, type)
    where r.vcon in (select uuid from inserted)
), analysis_rows as (
    insert into vcontract.analysis (tenant, vcon, index, doc, type, vendor)
    select $1, r.vcon, r.index, r.doc, r.type, r.vendor
    from unnest($28::uuid[], $29::integer[], $30::json[], $31::text[], $32::text[])
        as r (vcon, index, doc, type, vendor)
    where r.vcon in (select uuid from inserted)
), attachment_rows as (
    insert into vcontract.attachment (tenant, vcon, index, doc, purpose)
    select $1, r.vcon, r.index, r.doc, r.purpose
    from unnest($33::uuid[], $34::integer[], $35::json[], $36::text[]) as r (vcon, index, doc, purpose)
    where r.vcon in (select uuid from inserted)
), tag_rows as (
    insert into vcontract.tag (tenant, vcon, key, value, type)
    select $1, r.vcon, r.key, r.value, r.type
    from unnest($37::uuid[], $38::text[], $39::text[], $40::text[]) as r (vcon, key, value, type)
    where r.vcon in (select uuid from inserted)
), dealer_rows as (
    insert into vcontract.dealer (tenant, vcon, id, name, name_folded, team_id, team_name, doc)
    select $1, r.vcon, r.id, r.name, r.name_folded, r.team_id, r.team_name, r.doc
    from unnest($41::uuid[], $42::text[], $43::text[], $44::text[], $45::text[], $46::text[], $47::json[])
        as r (vcon, id, name, name_folded, team_id, team_name, doc)
    where r.vcon in (select uuid from inserted)
), passage_rows as (
    insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words, occurred_at)
    select $1, 'vcon', r.vcon, r.part, r.element, r.chunk, r.content, r.words, r.occurred_at
    from unnest(
        $48::uuid[], $49::text[], $50::integer[], $51::integer[], $52::text[], $53::tsvector[], $54::timestamptz[]
    ) as r (vcon, part, element, chunk, content, words, occurred_at)
    where r.vcon in (select uuid from inserted)
), tasks as (
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select $1, 'vcon', r.vcon, s.id, count(*), now()
    from unnest($48::uuid[], $49::text[]) as r (vcon, part)
    cross join vcontract.embedding_space s
    where vcontract.is_embedded(r.part) and s.state <> 'retired' and r.vcon in (select uuid from inserted)
    group by r.vcon, s.id
    on conflict (tenant, kind, id, space) do update set
        passages = excluded.passages, due_at = excluded.due_at, claim = null, attempts = 0
)
select uuid from inserted
