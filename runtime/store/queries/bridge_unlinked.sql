-- What stays of all that had a link to what is :gone, either way.
select id from (
    select member as id from vcontract.bridge_link where tenant = :tenant and holder = any(:gone)
    union
    select holder from vcontract.bridge_link where tenant = :tenant and member = any(:gone)
) linked
where id <> all(:gone)
order by id
