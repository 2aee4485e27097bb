-- Put a vCon in the place of the one with its uuid, which is locked: only rows that differ are written, so what
-- stayed keeps its rows. Passages are another statement's (revise_passages.sql).
with vcon as (
    update vcontract.vcon set
        created_at = $3, updated_at = $4, spec_version = $5, subject_folded = $6, head = $7, metadata = $8,
        conformance = $9, content_digest = $10, parties = $11, dialogs = $12, analyses = $13, attachments = $14,
        tag_carriers = $15, features = $35
    where tenant = $1 and uuid = $2
), document as (
    update vcontract.search_document set occurred_at = $3, words = $16
    where tenant = $1 and kind = 'vcon' and id = $2
), gone_parties as (
    delete from vcontract.party where tenant = $1 and vcon = $2 and index >= $11
), gone_dialogs as (
    delete from vcontract.dialog where tenant = $1 and vcon = $2 and index >= $12
), gone_analyses as (
    delete from vcontract.analysis where tenant = $1 and vcon = $2 and index >= $13
), gone_attachments as (
    delete from vcontract.attachment where tenant = $1 and vcon = $2 and index >= $14
), gone_tags as (
    delete from vcontract.tag where tenant = $1 and vcon = $2 and key <> all($17::text[])
), parties as (
    insert into vcontract.party as t (tenant, vcon, index, doc, name_folded, email_folded, tel_digits)
    select $1, $2, r.index, r.doc, r.name, r.email, r.tel
    from unnest($20::integer[], $21::json[], $22::text[], $23::text[], $24::text[])
        as r (index, doc, name, email, tel)
    on conflict (tenant, vcon, index) do update set
        doc = excluded.doc, name_folded = excluded.name_folded, email_folded = excluded.email_folded,
        tel_digits = excluded.tel_digits
    where t.doc::text <> excluded.doc::text
), dialogs as (
    insert into vcontract.dialog as t (tenant, vcon, index, doc, type)
    select $1, $2, r.index, r.doc, r.type
    from unnest($25::integer[], $26::json[], $27::text[]) as r (index, doc, type)
    on conflict (tenant, vcon, index) do update set doc = excluded.doc, type = excluded.type
    where t.doc::text <> excluded.doc::text
), analyses as (
    insert into vcontract.analysis as t (tenant, vcon, index, doc, type, vendor)
    select $1, $2, r.index, r.doc, r.type, r.vendor
    from unnest($28::integer[], $29::json[], $30::text[], $31::text[]) as r (index, doc, type, vendor)
    on conflict (tenant, vcon, index) do update set
        doc = excluded.doc, type = excluded.type, vendor = excluded.vendor
    where t.doc::text <> excluded.doc::text
), attachments as (
    insert into vcontract.attachment as t (tenant, vcon, index, doc, purpose)
    select $1, $2, r.index, r.doc, r.purpose
    from unnest($32::integer[], $33::json[], $34::text[]) as r (index, doc, purpose)
    on conflict (tenant, vcon, index) do update set doc = excluded.doc, purpose = excluded.purpose
    where t.doc::text <> excluded.doc::text
)
insert into vcontract.tag as t (tenant, vcon, key, value, type)
select $1, $2, r.key, r.value, r.type
from unnest($17::text[], $18::text[], $19::text[]) as r (key, value, type)
on conflict (tenant, vcon, key) do update set value = excluded.value, type = excluded.type
where (t.value, t.type) <> (excluded.value, excluded.type)
