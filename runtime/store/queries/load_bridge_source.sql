-- Sources with what they reflect on.
select
    s.id, s.content, s.content_type, s.experiencer, s.perspective, s.processing, s.file, s.when_text, s.when_start,
    s.when_end, s.when_zone, s.when_precision, s.created, s.modified,
    (
        select array_agg(r.reflects_on order by r.position)
        from vcontract.bridge_reflection r where r.tenant = :tenant and r.source_id = s.id
    ) as reflects_on
from vcontract.bridge_source s
where s.tenant = :tenant and s.id = any(:ids)
