-- Put a vCon in the place of the one with its uuid, which is locked: only rows that differ are written, so what
-- stayed keeps its rows. Passages are another statement's (revise_passages.sql). What was prepared before the last
-- change was made still counts as changed after it.
with vcon as (
    update vcontract.vcon set
        created_at = $3, updated_at = greatest($4, updated_at + interval '1 microsecond'), spec_version = $5,
        subject_folded = $6, head = $7, metadata = $8, conformance = $9, signed_form = $10, content_digest = $11,
        parties = $12, dialogs = $13, analyses = $14, attachments = $15, tag_carriers = $16, features = $42
    where tenant = $1 and uuid = $2
), document as (
    update vcontract.search_document set occurred_at = $3, words = $17
    where tenant = $1 and kind = 'vcon' and id = $2
), gone_parties as (
    delete from vcontract.party where tenant = $1 and vcon = $2 and index >= $12
), gone_dialogs as (
    delete from vcontract.dialog where tenant = $1 and vcon = $2 and index >= $13
), gone_analyses as (
    delete from vcontract.analysis where tenant = $1 and vcon = $2 and index >= $14
), gone_attachments as (
    delete from vcontract.attachment where tenant = $1 and vcon = $2 and index >= $15
), gone_tags as (
    delete from vcontract.tag where tenant = $1 and vcon = $2 and key <> all($33::text[])
), gone_dealer as (
    delete from vcontract.dealer where tenant = $1 and vcon = $2 and cardinality($36::text[]) = 0
), parties as (
    insert into vcontract.party as t (tenant, vcon, index, doc, name_folded, email_folded, tel_digits)
    select $1, $2, r.index, r.doc, r.name, r.email, r.tel
    from unnest($18::integer[], $19::json[], $20::text[], $21::text[], $22::text[])
        as r (index, doc, name, email, tel)
    on conflict (tenant, vcon, index) do update set
        doc = excluded.doc, name_folded = excluded.name_folded, email_folded = excluded.email_folded,
        tel_digits = excluded.tel_digits
    where t.doc::text <> excluded.doc::text
), dialogs as (
    insert into vcontract.dialog as t (tenant, vcon, index, doc, type)
    select $1, $2, r.index, r.doc, r.type
    from unnest($23::integer[], $24::json[], $25::text[]) as r (index, doc, type)
    on conflict (tenant, vcon, index) do update set doc = excluded.doc, type = excluded.type
    where t.doc::text <> excluded.doc::text
), analyses as (
    insert into vcontract.analysis as t (tenant, vcon, index, doc, type, vendor)
    select $1, $2, r.index, r.doc, r.type, r.vendor
    from unnest($26::integer[], $27::json[], $28::text[], $29::text[]) as r (index, doc, type, vendor)
    on conflict (tenant, vcon, index) do update set
        doc = excluded.doc, type = excluded.type, vendor = excluded.vendor
    where t.doc::text <> excluded.doc::text
), attachments as (
    insert into vcontract.attachment as t (tenant, vcon, index, doc, purpose)
    select $1, $2, r.index, r.doc, r.purpose
    from unnest($30::integer[], $31::json[], $32::text[]) as r (index, doc, purpose)
    on conflict (tenant, vcon, index) do update set doc = excluded.doc, purpose = excluded.purpose
    where t.doc::text <> excluded.doc::text
), dealers as (
    insert into vcontract.dealer as t (tenant, vcon, id, name, name_folded, team_id, team_name, doc)
    select $1, $2, r.id, r.name, r.name_folded, r.team_id, r.team_name, r.doc
    from unnest($36::text[], $37::text[], $38::text[], $39::text[], $40::text[], $41::json[])
        as r (id, name, name_folded, team_id, team_name, doc)
    on conflict (tenant, vcon) do update set
        id = excluded.id, name = excluded.name, name_folded = excluded.name_folded,
        team_id = excluded.team_id, team_name = excluded.team_name, doc = excluded.doc
    where t.doc::text <> excluded.doc::text
)
insert into vcontract.tag as t (tenant, vcon, key, value, type)
select $1, $2, r.key, r.value, r.type
from unnest($33::text[], $34::text[], $35::text[]) as r (key, value, type)
on conflict (tenant, vcon, key) do update set value = excluded.value, type = excluded.type
where (t.value, t.type) <> (excluded.value, excluded.type)
