-- Insert a record, or write it over the one of its id, and count its bytes; what it held goes, and put_bridge_parts.sql
-- follows.
with former as (
    select coalesce(sum(bytes), 0) as bytes from vcontract.bridge_record
    where tenant = :tenant and id = any(:bridge_record_id)
), links as (
    delete from vcontract.bridge_link where tenant = :tenant and holder = any(:bridge_record_id)
), qualities as (
    delete from vcontract.bridge_quality where tenant = :tenant and moment_id = any(:bridge_record_id)
), put as (
    {bridge_record.upsert}
    returning t.bytes
)
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select :tenant, 'bytes', '', '', sum(put.bytes) - former.bytes from put, former
group by former.bytes
having sum(put.bytes) <> former.bytes
