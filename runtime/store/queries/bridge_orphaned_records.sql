-- Moments and scenes that hold some of what is :gone and nothing else: what cannot stand without it.
select distinct l.holder as id from vcontract.bridge_link l
where l.tenant = :tenant and l.member = any(:gone) and l.kind <> 'reflects on' and l.holder <> all(:gone)
    and not exists (
        select from vcontract.bridge_link o
        where o.tenant = :tenant and o.holder = l.holder and o.member <> all(:gone)
    )
order by id
