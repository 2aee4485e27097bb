-- Moments and scenes that hold some of $2 and nothing else: what cannot stand when those go.
select m.id from vcontract.bridge_moment m
where m.tenant = $1 and m.id <> all($2)
    and exists (
        select from vcontract.bridge_moment_source f
        where f.tenant = $1 and f.moment_id = m.id and f.source_id = any($2)
    ) and not exists (
        select from vcontract.bridge_moment_source f
        where f.tenant = $1 and f.moment_id = m.id and f.source_id <> all($2)
    )
union all
select s.id from vcontract.bridge_scene s
where s.tenant = $1 and s.id <> all($2)
    and exists (
        select from vcontract.bridge_scene_member x
        where x.tenant = $1 and x.scene_id = s.id and coalesce(x.moment_id, x.child_scene_id) = any($2)
    ) and not exists (
        select from vcontract.bridge_scene_member x
        where x.tenant = $1 and x.scene_id = s.id and coalesce(x.moment_id, x.child_scene_id) <> all($2)
    )
order by id
