-- Scenes of some of the members $2 that may be superseded: active, made by a model, not reviewed, and held by no
-- active reviewed scene.
select c.id from vcontract.bridge_scene c
where c.tenant = $1 and c.reframed_by is null and c.auto_generated and not c.reviewed
    and c.id in (
        select m.scene_id from vcontract.bridge_scene_member m
        where m.tenant = $1 and (m.moment_id = any($2) or m.child_scene_id = any($2))
    )
    and not exists (
        select from vcontract.bridge_scene_member x
        join vcontract.bridge_scene s on s.tenant = $1 and s.id = x.scene_id
        where x.tenant = $1 and x.child_scene_id = c.id and s.reviewed and s.reframed_by is null
    )
order by c.id
