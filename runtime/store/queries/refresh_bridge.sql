-- Recompute what :moments and :scenes, and all scenes above them, inherit from the sources underneath: experiencers,
-- perspectives, processings, and the event time unless it is their own. The index follows.
with recursive above as (
    select m.scene_id from vcontract.bridge_scene_member m
    where m.tenant = :tenant and (m.moment_id = any(:moments) or m.child_scene_id = any(:scenes))
    union
    select m.scene_id from above a
    join vcontract.bridge_scene_member m on m.tenant = :tenant and m.child_scene_id = a.scene_id
), roots as (
    select unnest(:scenes::text[]) as id union select scene_id from above
), below as (
    select r.id as root, m.moment_id, m.child_scene_id from roots r
    join vcontract.bridge_scene_member m on m.tenant = :tenant and m.scene_id = r.id
    union
    select b.root, m.moment_id, m.child_scene_id from below b
    join vcontract.bridge_scene_member m on m.tenant = :tenant and m.scene_id = b.child_scene_id
), underneath as (
    select f.moment_id as root, f.source_id from vcontract.bridge_moment_source f
    where f.tenant = :tenant and f.moment_id = any(:moments)
    union
    select b.root, f.source_id from below b
    join vcontract.bridge_moment_source f on f.tenant = :tenant and f.moment_id = b.moment_id
), facts as (
    select
        u.root,
        array_agg(distinct s.experiencer_folded order by s.experiencer_folded) as experiencers,
        array_agg(distinct s.perspective order by s.perspective) as perspectives,
        array_agg(distinct s.processing order by s.processing) as processings,
        min(s.when_start) as when_start,
        max(s.when_end) as when_end,
        (array_agg(s.when_text order by s.when_start, s.id) filter (where s.when_start is not null))[1] as when_text,
        (array_agg(s.when_zone order by s.when_start, s.id) filter (where s.when_start is not null))[1] as when_zone,
        case when count(distinct (s.when_start, s.when_end)) filter (where s.when_start is not null) > 1 then 'range'
            else min(s.when_precision) end as when_precision
    from underneath u
    join vcontract.bridge_source s on s.tenant = :tenant and s.id = u.source_id
    group by u.root
), moments as (
    update vcontract.bridge_moment m set
        experiencers = f.experiencers, perspectives = f.perspectives, processings = f.processings,
        when_text = case when m.when_own then m.when_text else f.when_text end,
        when_start = case when m.when_own then m.when_start else f.when_start end,
        when_end = case when m.when_own then m.when_end else f.when_end end,
        when_zone = case when m.when_own then m.when_zone else f.when_zone end,
        when_precision = case when m.when_own then m.when_precision else f.when_precision end
    from facts f
    where m.tenant = :tenant and m.id = f.root
    returning m.uid, coalesce(m.when_start, m.created) as occurred_at, 'bridge_moment' as kind
), scenes as (
    update vcontract.bridge_scene m set
        experiencers = f.experiencers, perspectives = f.perspectives, processings = f.processings,
        when_text = case when m.when_own then m.when_text else f.when_text end,
        when_start = case when m.when_own then m.when_start else f.when_start end,
        when_end = case when m.when_own then m.when_end else f.when_end end,
        when_zone = case when m.when_own then m.when_zone else f.when_zone end,
        when_precision = case when m.when_own then m.when_precision else f.when_precision end
    from facts f
    where m.tenant = :tenant and m.id = f.root
    returning m.uid, coalesce(m.when_start, m.created) as occurred_at, 'bridge_scene' as kind
), changed as (
    select * from moments union all select * from scenes
), documents as (
    update vcontract.search_document d set occurred_at = c.occurred_at from changed c
    where d.tenant = :tenant and d.kind = c.kind and d.id = c.uid and d.occurred_at is distinct from c.occurred_at
)
update vcontract.passage p set occurred_at = c.occurred_at from changed c
where p.tenant = :tenant and p.kind = c.kind and p.id = c.uid and p.occurred_at is distinct from c.occurred_at
