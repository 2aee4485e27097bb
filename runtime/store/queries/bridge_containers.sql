-- The earliest made active moment of each source $2, and scene of each moment $3 and scene $4.
select f.source_id as id, min(f.moment_id) as container
from vcontract.bridge_moment_source f
join vcontract.bridge_moment m on m.tenant = $1 and m.id = f.moment_id and m.reframed_by is null
where f.tenant = $1 and f.source_id = any($2)
group by f.source_id
union all
select x.moment_id, min(x.scene_id)
from vcontract.bridge_scene_member x
join vcontract.bridge_scene s on s.tenant = $1 and s.id = x.scene_id and s.reframed_by is null
where x.tenant = $1 and x.moment_id = any($3)
group by x.moment_id
union all
select x.child_scene_id, min(x.scene_id)
from vcontract.bridge_scene_member x
join vcontract.bridge_scene s on s.tenant = $1 and s.id = x.scene_id and s.reframed_by is null
where x.tenant = $1 and x.child_scene_id = any($4)
group by x.child_scene_id
