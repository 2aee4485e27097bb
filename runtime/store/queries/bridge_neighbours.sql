-- The records one link away from :ids, either way, but for superseded ones: source to source that it reflects on,
-- moment to its sources, scene to its moments and scenes.
select n.id from (
    select reflects_on as id from vcontract.bridge_reflection where tenant = :tenant and source_id = any(:ids)
    union
    select source_id from vcontract.bridge_reflection where tenant = :tenant and reflects_on = any(:ids)
    union
    select source_id from vcontract.bridge_moment_source where tenant = :tenant and moment_id = any(:ids)
    union
    select f.moment_id from vcontract.bridge_moment_source f where f.tenant = :tenant and f.source_id = any(:ids)
    union
    select coalesce(moment_id, child_scene_id) from vcontract.bridge_scene_member
    where tenant = :tenant and scene_id = any(:ids)
    union
    select scene_id from vcontract.bridge_scene_member where tenant = :tenant and moment_id = any(:ids)
    union
    select scene_id from vcontract.bridge_scene_member where tenant = :tenant and child_scene_id = any(:ids)
) n
where not exists (
    select from vcontract.bridge_moment m where m.tenant = :tenant and m.id = n.id and m.reframed_by is not null
) and not exists (
    select from vcontract.bridge_scene s where s.tenant = :tenant and s.id = n.id and s.reframed_by is not null
)
order by n.id
