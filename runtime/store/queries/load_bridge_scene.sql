-- Scenes with their members.
select
    s.id, s.emoji, s.summary, s.narrative, s.shot, s.experiencer, s.when_text, s.when_start, s.when_end, s.when_zone,
    s.when_precision, s.when_own, s.reviewed, s.auto_generated, s.reframed_by, s.created, s.modified,
    (
        select array_agg(coalesce(m.moment_id, m.child_scene_id) order by m.position)
        from vcontract.bridge_scene_member m where m.tenant = :tenant and m.scene_id = s.id
    ) as members
from vcontract.bridge_scene s
where s.tenant = :tenant and s.id = any(:ids)
