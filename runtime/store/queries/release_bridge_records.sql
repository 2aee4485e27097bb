-- Delete records, and leave a tombstone of each: that it was there, never what it held.
with records as (
    delete from vcontract.bridge_record where tenant = :tenant and id = any(:gone)
)
insert into vcontract.bridge_tombstone (tenant, id, type, released_at, cause_id)
select :tenant, g.id, g.type, :now::timestamptz, :cause::text from unnest(:gone::text[], :types::text[]) as g (id, type)
