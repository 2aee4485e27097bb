-- Scenes that hold some of these members (:held) and may be superseded: active, made by a model, not reviewed, and
-- held by no active reviewed scene.
select c.id from vcontract.bridge_scene c
where c.tenant = :tenant and c.reframed_by is null and c.auto_generated and not c.reviewed
    and c.id in (
        select m.scene_id from vcontract.bridge_scene_member m
        where m.tenant = :tenant and (m.moment_id = any(:held) or m.child_scene_id = any(:held))
    )
    and not exists (
        select from vcontract.bridge_scene_member x
        join vcontract.bridge_scene s on s.tenant = :tenant and s.id = x.scene_id
        where x.tenant = :tenant and x.child_scene_id = c.id and s.reviewed and s.reframed_by is null
    )
order by c.id
