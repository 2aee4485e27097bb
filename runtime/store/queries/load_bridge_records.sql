-- Records with what they hold, and the qualities of moments.
select {bridge_record.read},
    (
        select json_agg(json_build_array(l.member, l.start_char, l.end_char, l.stale) order by l.position)
        from vcontract.bridge_link l where l.tenant = :tenant and l.holder = t.id
    ) as links,
    (
        select json_agg(json_build_array(q.type, q.manifestation) order by q.position)
        from vcontract.bridge_quality q where q.tenant = :tenant and q.moment_id = t.id
    ) as qualities
from vcontract.bridge_record t
where t.tenant = :tenant and t.id = any(:ids)
