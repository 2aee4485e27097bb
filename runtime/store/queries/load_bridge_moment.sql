-- Moments with their qualities and what they frame.
select
    m.id, m.emoji, m.summary, m.narrative, m.shot, m.experiencer, m.when_text, m.when_start, m.when_end, m.when_zone,
    m.when_precision, m.when_own, m.reviewed, m.auto_generated, m.reframed_by, m.created, m.modified,
    (
        select json_agg(json_build_array(q.type, q.manifestation) order by q.position)
        from vcontract.bridge_quality q where q.tenant = :tenant and q.moment_id = m.id
    ) as qualities,
    (
        select json_agg(json_build_array(f.source_id, f.start_char, f.end_char, f.stale) order by f.position)
        from vcontract.bridge_moment_source f where f.tenant = :tenant and f.moment_id = m.id
    ) as sources
from vcontract.bridge_moment m
where m.tenant = :tenant and m.id = any(:ids)
