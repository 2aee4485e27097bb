-- Insert a record, or write it over the one of its id; what it held goes, and put_bridge_parts.sql follows.
with links as (
    delete from vcontract.bridge_link where tenant = :tenant and holder = any(:bridge_record_id)
), qualities as (
    delete from vcontract.bridge_quality where tenant = :tenant and moment_id = any(:bridge_record_id)
)
{bridge_record.upsert}
