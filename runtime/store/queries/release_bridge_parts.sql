-- Delete the links of what is :gone, either way, and the qualities.
with qualities as (
    delete from vcontract.bridge_quality where tenant = :tenant and moment_id = any(:gone)
)
delete from vcontract.bridge_link where tenant = :tenant and (holder = any(:gone) or member = any(:gone))
