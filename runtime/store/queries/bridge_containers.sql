-- The earliest made active moment or scene that holds each of :ids.
select l.member as id, min(l.holder) as container
from vcontract.bridge_link l
join vcontract.bridge_record h on h.tenant = :tenant and h.id = l.holder and h.reframed_by is null
where l.tenant = :tenant and l.member = any(:ids) and l.kind <> 'reflects on'
group by l.member
