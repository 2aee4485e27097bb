-- Figures of a tenant's lived experience :now; :recent is when the recent past begins.
with record as (
    select r.type, r.created, r.modified, r.reframed_by is null as active, r.auto_generated and not r.reviewed as unreviewed,
        r.id in (
            select l.member from vcontract.bridge_link l
            join vcontract.bridge_record h on h.tenant = :tenant and h.id = l.holder and h.reframed_by is null
            where l.tenant = :tenant and l.kind <> 'reflects on'
        ) as held
    from vcontract.bridge_record r where r.tenant = :tenant
), figures as (
    select
        count(*) filter (where type = 'source')::integer as sources,
        count(*) filter (where type = 'moment' and active)::integer as moments,
        count(*) filter (where type = 'scene' and active)::integer as scenes,
        count(*) filter (where type = 'source' and not held)::integer as unframed,
        count(*) filter (where type = 'moment' and active and not held)::integer as unwoven,
        count(*) filter (where type = 'moment' and active and unreviewed)::integer as unreviewed_moments,
        count(*) filter (where type = 'scene' and active and unreviewed)::integer as unreviewed_scenes,
        count(*) filter (where type = 'moment' and not active)::integer as superseded_moments,
        count(*) filter (where type = 'scene' and not active)::integer as superseded_scenes,
        count(*) filter (where type = 'source' and created > :recent)::integer as captured,
        count(*) filter (where type = 'moment' and created > :recent)::integer as framed,
        count(*) filter (where type = 'scene' and created > :recent)::integer as woven,
        count(*) filter (where modified > :recent)::integer as enriched,
        max(greatest(created, modified)) as last_written
    from record
), released as (
    select count(*) filter (where released_at > :recent)::integer as released, max(released_at) as last_released
    from vcontract.bridge_tombstone where tenant = :tenant
), space as (
    select id, model from vcontract.embedding_space where state = 'active'
)
select
    f.sources, f.moments, f.scenes, f.unframed, f.unwoven, f.unreviewed_moments, f.unreviewed_scenes,
    f.superseded_moments, f.superseded_scenes, f.captured, f.framed, f.woven, f.enriched, g.released,
    greatest(f.last_written, g.last_released) as last,
    (
        select count(distinct holder) from vcontract.bridge_link where tenant = :tenant and kind = 'reflects on'
    )::integer as reflections,
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
        select extract(epoch from :now - min(coalesce(r.modified, r.created)))::integer
        from space s
        join vcontract.embedding_task t on t.tenant = :tenant and t.space = s.id and t.kind like 'bridge\_%'
        join vcontract.bridge_record r on r.tenant = :tenant and r.uid = t.id
    ) as oldest_pending_seconds
from figures f cross join released g
