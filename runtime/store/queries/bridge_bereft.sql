-- Moments and scenes that hold some of what is :gone and nothing else: what cannot stand without it.
select m.id from vcontract.bridge_moment m
where m.tenant = :tenant and m.id <> all(:gone)
    and exists (
        select from vcontract.bridge_moment_source f
        where f.tenant = :tenant and f.moment_id = m.id and f.source_id = any(:gone)
    ) and not exists (
        select from vcontract.bridge_moment_source f
        where f.tenant = :tenant and f.moment_id = m.id and f.source_id <> all(:gone)
    )
union all
select s.id from vcontract.bridge_scene s
where s.tenant = :tenant and s.id <> all(:gone)
    and exists (
        select from vcontract.bridge_scene_member x
        where x.tenant = :tenant and x.scene_id = s.id and coalesce(x.moment_id, x.child_scene_id) = any(:gone)
    ) and not exists (
        select from vcontract.bridge_scene_member x
        where x.tenant = :tenant and x.scene_id = s.id and coalesce(x.moment_id, x.child_scene_id) <> all(:gone)
    )
order by id
