-- Rows, total and groups of a search at once. :uids, :scores and :distances score records. :zone is the zone of days,
-- which are of the event time when :days_of_events. At most :most rows are given, all when it is null. A group counts all
-- its matches, shown or not.
with matched as materialized (
    select r.*, s.score, s.distance,
        case when :days_of_events then r.occurred_at else r.created end as day_of
    from vcontract.bridge_rows(:filters::jsonb) r
    left join unnest(:uids::uuid[], :scores::double precision[], :distances::integer[])
        as s (uid, score, distance) using (uid)
), keyed as (
    select m.*,
        case :group_by
            when 'type' then m.type
            when 'experiencer' then m.experiencer
            when 'day' then to_char(m.day_of at time zone :zone, 'YYYY-MM-DD')
            when 'week' then to_char(m.day_of at time zone :zone, 'IYYY-"W"IW')
            when 'month' then to_char(m.day_of at time zone :zone, 'YYYY-MM')
        end as grouping,
        row_number() over (order by
            case when :sort = 'relevance' then m.score end desc nulls last,
            case when :sort = 'relevance' then m.distance end asc nulls last,
            case when :sort = 'when' then m.occurred_at end desc nulls last,
            m.created desc, m.id desc
        ) as place
    from matched m
)
select
    (select count(*) from keyed)::integer as total,
    (
        select json_agg(json_build_array(k.id, k.type, k.score, k.grouping) order by k.place)
        from keyed k where :most::integer is null or k.place <= :most
    ) as rows,
    (
        select json_agg(json_build_array(g.grouping, g.count) order by
            case when :group_by = 'type' then array_position(array['source', 'moment', 'scene'], g.grouping) end,
            case when :group_by = 'experiencer' then g.count end desc,
            case when :group_by = 'experiencer' then g.grouping end,
            g.grouping desc)
        from (select k.grouping, count(*) from keyed k where k.grouping is not null group by k.grouping) g
    ) as groups
