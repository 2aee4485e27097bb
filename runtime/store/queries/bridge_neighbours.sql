-- The records one link away from :ids, either way, but for superseded ones.
select r.id from (
    select member as id from vcontract.bridge_link where tenant = :tenant and holder = any(:ids)
    union
    select holder from vcontract.bridge_link where tenant = :tenant and member = any(:ids)
) n
join vcontract.bridge_record r on r.tenant = :tenant and r.id = n.id and r.reframed_by is null
order by r.id
