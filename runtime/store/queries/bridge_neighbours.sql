-- The records one link away from $2, either way, but for superseded ones: source to source that it reflects on,
-- moment to its sources, scene to its moments and scenes.
select n.id from (
    select reflects_on as id from vcontract.bridge_reflection where tenant = $1 and source_id = any($2)
    union
    select source_id from vcontract.bridge_reflection where tenant = $1 and reflects_on = any($2)
    union
    select source_id from vcontract.bridge_moment_source where tenant = $1 and moment_id = any($2)
    union
    select f.moment_id from vcontract.bridge_moment_source f where f.tenant = $1 and f.source_id = any($2)
    union
    select coalesce(moment_id, child_scene_id) from vcontract.bridge_scene_member
    where tenant = $1 and scene_id = any($2)
    union
    select scene_id from vcontract.bridge_scene_member where tenant = $1 and moment_id = any($2)
    union
    select scene_id from vcontract.bridge_scene_member where tenant = $1 and child_scene_id = any($2)
) n
where not exists (
    select from vcontract.bridge_moment m where m.tenant = $1 and m.id = n.id and m.reframed_by is not null
) and not exists (
    select from vcontract.bridge_scene s where s.tenant = $1 and s.id = n.id and s.reframed_by is not null
)
order by n.id
