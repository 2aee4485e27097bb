-- Rows, total and groups of a search at once. $2 to $4 score records: their ids, relevance and distance; only those
-- are matches when $5. $6 is what sorts, $7 what groups, $8 the zone of days, $9 whether days are of the event time,
-- $10 the limit, null for all rows. A group counts all its matches, shown or not.
with matched as materialized (
    select r.*, s.score, s.distance
    from vcontract.bridge_rows($1::jsonb) r
    left join unnest($2::text[], $3::double precision[], $4::integer[]) as s (id, score, distance) using (id)
    where not $5 or s.id is not null
), keyed as (
    select m.*,
        case $7
            when 'type' then m.type
            when 'experiencer' then m.experiencer
            when 'day' then to_char(case when $9 then m.occurred_at else m.created end at time zone $8, 'YYYY-MM-DD')
            when 'week' then to_char(case when $9 then m.occurred_at else m.created end at time zone $8, 'IYYY-"W"IW')
            when 'month' then to_char(case when $9 then m.occurred_at else m.created end at time zone $8, 'YYYY-MM')
        end as grouping,
        row_number() over (order by
            case when $6 = 'relevance' then m.score end desc nulls last,
            case when $6 = 'relevance' then m.distance end asc nulls last,
            case when $6 = 'when' then m.occurred_at end desc nulls last,
            m.created desc, m.id desc
        ) as place
    from matched m
)
select
    (select count(*) from keyed)::integer as total,
    (
        select json_agg(json_build_array(k.id, k.type, k.score, k.grouping) order by k.place)
        from keyed k where $10::integer is null or k.place <= $10
    ) as rows,
    (
        select json_agg(json_build_array(g.grouping, g.count) order by
            case when $7 = 'type' then array_position(array['source', 'moment', 'scene'], g.grouping) end,
            case when $7 = 'experiencer' then g.count end desc,
            case when $7 = 'experiencer' then g.grouping end,
            g.grouping desc)
        from (select k.grouping, count(*) from keyed k where k.grouping is not null group by k.grouping) g
    ) as groups
