-- Recompute what the moments and scenes among :ids, and all that hold any of :ids, inherit from the sources underneath:
-- experiencers, perspectives, processings, and the event time unless it is their own. The index follows.
with recursive above as (
    select unnest(:ids::text[]) collate "C" as id
    union
    select l.holder from above a
    join vcontract.bridge_link l on l.tenant = :tenant and l.member = a.id and l.kind <> 'reflects on'
), below as (
    select id as root, id from above where not starts_with(id, 'src_')
    union
    select b.root, l.member from below b
    join vcontract.bridge_link l on l.tenant = :tenant and l.holder = b.id and l.kind <> 'reflects on'
), facts as (
    select
        b.root,
        array_agg(distinct s.experiencer_folded order by s.experiencer_folded) as experiencers,
        array_agg(distinct s.perspective order by s.perspective) as perspectives,
        array_agg(distinct s.processing order by s.processing) as processings,
        min(s.when_start) as when_start,
        max(s.when_end) as when_end,
        (array_agg(s.when_text order by s.when_start, s.id) filter (where s.when_start is not null))[1] as when_text,
        (array_agg(s.when_zone order by s.when_start, s.id) filter (where s.when_start is not null))[1] as when_zone,
        case when count(distinct (s.when_start, s.when_end)) filter (where s.when_start is not null) > 1 then 'range'
            else min(s.when_precision) end as when_precision
    from below b
    join vcontract.bridge_record s on s.tenant = :tenant and s.id = b.id and s.type = 'source'
    group by b.root
), changed as (
    update vcontract.bridge_record r set
        experiencers = f.experiencers, perspectives = f.perspectives, processings = f.processings,
        when_text = case when r.when_own then r.when_text else f.when_text end,
        when_start = case when r.when_own then r.when_start else f.when_start end,
        when_end = case when r.when_own then r.when_end else f.when_end end,
        when_zone = case when r.when_own then r.when_zone else f.when_zone end,
        when_precision = case when r.when_own then r.when_precision else f.when_precision end
    from facts f
    where r.tenant = :tenant and r.id = f.root
    returning r.uid, coalesce(r.when_start, r.created) as occurred_at, 'bridge_' || r.type as kind
), documents as (
    update vcontract.search_document d set occurred_at = c.occurred_at from changed c
    where d.tenant = :tenant and d.kind = c.kind and d.id = c.uid and d.occurred_at is distinct from c.occurred_at
)
update vcontract.passage p set occurred_at = c.occurred_at from changed c
where p.tenant = :tenant and p.kind = c.kind and p.id = c.uid and p.occurred_at is distinct from c.occurred_at
