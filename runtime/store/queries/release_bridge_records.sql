-- Delete records with their bytes, and leave a tombstone of each: that it was there, never what it held.
with records as (
    delete from vcontract.bridge_record where tenant = :tenant and id = any(:gone) returning bytes
), counted as (
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select :tenant, 'bytes', '', '', -sum(bytes) from records having sum(bytes) > 0
)
insert into vcontract.bridge_tombstone (tenant, id, type, released_at, cause_id)
select :tenant, g.id, g.type, :now::timestamptz, :cause::text from unnest(:gone::text[], :types::text[]) as g (id, type)
