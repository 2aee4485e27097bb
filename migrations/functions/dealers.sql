-- vCons by dealer, those with the greatest share of vCons that have all tags of tag_filter first: of the conversations that
-- began in [created_from, created_to) all (baseline) and those (filtered). Team is the one that was given last.
create or replace function vcontract.aggregate_vcons_by_dealer_stats(
    tag_filter jsonb default '{}', created_from timestamptz default null, created_to timestamptz default null,
    min_baseline integer default 1, max_results integer default 20
) returns table (
    dealer_id text, dealer_name text, team_id text, team_name text, filtered_count bigint, baseline_count bigint
)
    language sql stable
as $$
    with wanted as (
        select key, value #>> '{}' as value,
            case jsonb_typeof(value) when 'number' then (value #>> '{}')::numeric end as number
        from jsonb_each(tag_filter)
    ), named as (
        select d.*, v.began_at, not exists (
            select from wanted w
            where not exists (
                select from vcontract.tag t
                where t.tenant = v.tenant and t.vcon = v.uuid and t.key = w.key and case
                    -- the text of a number may be another one than the filter's
                    when t.type = 'number' and w.number is not null then t.value::numeric = w.number
                    else t.value = coalesce(trim_scale(w.number)::text, w.value) end
            )
        ) as has_tags
        from vcontract.dealer d
        join vcontract.vcon v on v.tenant = d.tenant and v.uuid = d.vcon
        where d.tenant = vcontract.current_tenant()
            and (created_from is null or v.began_at >= created_from)
            and (created_to is null or v.began_at < created_to)
    )
    select n.id,
        vcontract.names_and_counts(array_agg(n.name), array_agg(1::bigint)),
        (array_agg(n.team_id order by n.began_at desc, n.vcon desc)
            filter (where n.team_id is not null or n.team_name is not null))[1],
        (array_agg(n.team_name order by n.began_at desc, n.vcon desc)
            filter (where n.team_id is not null or n.team_name is not null))[1],
        count(*) filter (where n.has_tags),
        count(*)
    from named n
    group by n.id
    having count(*) >= min_baseline
    order by count(*) filter (where n.has_tags)::double precision / count(*) desc,
        count(*) filter (where n.has_tags) desc, count(*) desc, n.id
    limit least(greatest(max_results, 0), 500)
$$;
