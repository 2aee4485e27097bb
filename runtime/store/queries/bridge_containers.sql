-- The earliest made active moment of each of the :sources, and scene of each of the :moments and :scenes.
select f.source_id as id, min(f.moment_id) as container
from vcontract.bridge_moment_source f
join vcontract.bridge_moment m on m.tenant = :tenant and m.id = f.moment_id and m.reframed_by is null
where f.tenant = :tenant and f.source_id = any(:sources)
group by f.source_id
union all
select x.moment_id, min(x.scene_id)
from vcontract.bridge_scene_member x
join vcontract.bridge_scene s on s.tenant = :tenant and s.id = x.scene_id and s.reframed_by is null
where x.tenant = :tenant and x.moment_id = any(:moments)
group by x.moment_id
union all
select x.child_scene_id, min(x.scene_id)
from vcontract.bridge_scene_member x
join vcontract.bridge_scene s on s.tenant = :tenant and s.id = x.scene_id and s.reframed_by is null
where x.tenant = :tenant and x.child_scene_id = any(:scenes)
group by x.child_scene_id
