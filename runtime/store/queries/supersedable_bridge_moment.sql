-- Moments that hold some of these sources (:held) and may be superseded: active, made by a model, not reviewed, and
-- held by no active reviewed scene.
select m.id from vcontract.bridge_moment m
where m.tenant = :tenant and m.reframed_by is null and m.auto_generated and not m.reviewed
    and m.id in (
        select f.moment_id from vcontract.bridge_moment_source f
        where f.tenant = :tenant and f.source_id = any(:held)
    )
    and not exists (
        select from vcontract.bridge_scene_member x
        join vcontract.bridge_scene s on s.tenant = :tenant and s.id = x.scene_id
        where x.tenant = :tenant and x.moment_id = m.id and s.reviewed and s.reframed_by is null
    )
order by m.id
