-- Figures of a tenant's lived experience :now; :recent is when the recent past begins.
with moment as (
    select id, reframed_by is null as active, auto_generated and not reviewed as unreviewed, created, modified,
        reframed_by is null and not exists (
            select from vcontract.bridge_scene_member x
            join vcontract.bridge_scene s on s.tenant = :tenant and s.id = x.scene_id and s.reframed_by is null
            where x.tenant = :tenant and x.moment_id = m.id
        ) as unwoven
    from vcontract.bridge_moment m where tenant = :tenant
), scene as (
    select id, reframed_by is null as active, auto_generated and not reviewed as unreviewed, created, modified
    from vcontract.bridge_scene where tenant = :tenant
), source as (
    select id, created, modified,
        not exists (
            select from vcontract.bridge_moment_source f
            join vcontract.bridge_moment m on m.tenant = :tenant and m.id = f.moment_id and m.reframed_by is null
            where f.tenant = :tenant and f.source_id = o.id
        ) as unframed
    from vcontract.bridge_source o where tenant = :tenant
), record as (
    select created, modified from source
    union all select created, modified from moment
    union all select created, modified from scene
), space as (
    select id, model from vcontract.embedding_space where state = 'active'
)
select
    (select count(*) from source)::integer as sources,
    (select count(distinct source_id) from vcontract.bridge_reflection where tenant = :tenant)::integer as reflections,
    (select count(*) from moment where active)::integer as moments,
    (select count(*) from scene where active)::integer as scenes,
    (select count(*) from source where unframed)::integer as unframed,
    (select count(*) from moment where unwoven)::integer as unwoven,
    (select count(*) from moment where active and unreviewed)::integer as unreviewed_moments,
    (select count(*) from scene where active and unreviewed)::integer as unreviewed_scenes,
    (select count(*) from moment where not active)::integer as superseded_moments,
    (select count(*) from scene where not active)::integer as superseded_scenes,
    (select count(*) from source where created > :recent)::integer as captured,
    (select count(*) from moment where created > :recent)::integer as framed,
    (select count(*) from scene where created > :recent)::integer as woven,
    (select count(*) from record where modified > :recent)::integer as enriched,
    (
        select count(*) from vcontract.bridge_tombstone where tenant = :tenant and released_at > :recent
    )::integer as released,
    greatest(
        (select max(greatest(created, modified)) from record),
        (select max(released_at) from vcontract.bridge_tombstone where tenant = :tenant)
    ) as last,
    (
        select count(*) from vcontract.passage
        where tenant = :tenant and kind in ('bridge_source', 'bridge_moment', 'bridge_scene')
    )::integer as passages,
    (
        select count(*) from vcontract.embedding e join space s on s.id = e.space
        where e.tenant = :tenant and e.kind in ('bridge_source', 'bridge_moment', 'bridge_scene')
    )::integer as embedded,
    (select model from space) as model,
    (
        select extract(epoch from :now - least(
            (
                select min(coalesce(r.modified, r.created)) from vcontract.embedding_task t
                join vcontract.bridge_source r on r.tenant = :tenant and r.uid = t.id
                where t.tenant = :tenant and t.kind = 'bridge_source' and t.space = s.id
            ), (
                select min(coalesce(r.modified, r.created)) from vcontract.embedding_task t
                join vcontract.bridge_moment r on r.tenant = :tenant and r.uid = t.id
                where t.tenant = :tenant and t.kind = 'bridge_moment' and t.space = s.id
            ), (
                select min(coalesce(r.modified, r.created)) from vcontract.embedding_task t
                join vcontract.bridge_scene r on r.tenant = :tenant and r.uid = t.id
                where t.tenant = :tenant and t.kind = 'bridge_scene' and t.space = s.id
            )
        ))::integer from space s
    ) as oldest_pending_seconds
