-- Counts over what a search matches. These functions run with their owner's rights, as those of search.sql do.

-- The name of a dealer; of several names the most frequent ones, each with its number of things: "Ann's (3), Ben's (1)".
create or replace function vcontract.names_and_counts(names text[], things bigint[]) returns text
    language sql immutable parallel safe
    return (
        select case count(*) when 0 then null when 1 then min(n.name) else
            string_agg(format('%s (%s)', n.name, n.things), ', ' order by n.number) filter (where n.number <= 5)
            || case when count(*) > 5 then format(', %s more names (%s)', count(*) - 5,
                sum(n.things) filter (where n.number > 5)) else '' end end
        from (
            select g.name, sum(g.things) as things, row_number() over (order by sum(g.things) desc, g.name collate "C") as number
            from unnest(names, things) g (name, things) where g.name <> '' group by g.name
        ) n
    );

-- In how many things that meet a specification each name is, those of most things first: by dealer, month, day
-- or hour of the week (of occurred_at, in UTC), party or tag_value, or by the features that begin with `about` and a colon.
-- Of all vCons parties and values of tags are not counted again: that is kept, though not by person.
create or replace function vcontract.search_tally(spec jsonb, kind text, about text, most integer)
    returns table (name text, label text, things bigint, names bigint)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
begin
    if spec = '{}' and kind = 'vcon' and about = 'party'
        and not exists (select from vcontract.alias a where a.tenant = vcontract.current_tenant()) then
        return query select c.name, min(c.detail), sum(c.vcons)::bigint, count(*) over ()
            from vcontract.counted('{party}', null) c group by c.name order by 3 desc, 1 limit most;
        return;
    elsif spec = '{}' and kind = 'vcon' and about = 'tag_value' then
        return query select v.key || ':' || left(v.value, 256), null::text, sum(v.vcons)::bigint, count(*) over ()
            from vcontract.tag_values(null) v group by 1 order by 3 desc, 1 limit most;
        return;
    elsif about in ('month', 'day', 'hour') then
        -- an hour is written as text once, not for each thing
        return query execute format(
            'select to_char(h.hour, %L), null::text, sum(h.things)::bigint, count(*) over () from ('
            ' select date_trunc(''hour'', d.occurred_at at time zone ''UTC'') as hour, count(*) as things'
            ' from vcontract.search_document d where %s group by 1'
            ') h group by 1 order by 3 desc, 1 limit %s',
            case about when 'month' then 'YYYY-MM' when 'day' then 'YYYY-MM-DD' else 'Dy HH24' end,
            vcontract.search_conditions(spec, kind), most);
        return;
    elsif about = 'dealer' then
        return query execute format(
            'select n.id, vcontract.names_and_counts(array_agg(n.name), array_agg(n.things)),'
            ' sum(n.things)::bigint, count(*) over () from ('
            ' select x.id, x.name, count(*) as things from vcontract.search_document d'
            ' join vcontract.dealer x on x.tenant = %L and x.vcon = d.id where %s and x.id <> '''' group by 1, 2'
            ') n group by n.id order by 3 desc, 1 limit %s',
            tenant, vcontract.search_conditions(spec, kind), most);
        return;
    end if;
    return query execute format(
        'select n.name, min(n.label collate "C"), %s, count(*) over ()'
        ' from (select %s, d.id from vcontract.search_document d %s where %s) n (name, label, id)'
        ' where n.name <> '''' group by n.name order by 3 desc, 1 limit %s',
        case about when 'party' then 'count(distinct n.id)' else 'count(*)' end,
        case about
            when 'party' then format('left(%s, 255), left(%s, 255)',
                vcontract.as_person('vcontract.folded(a.person)', 'p.name_folded'),
                vcontract.as_person('a.person', 'p.doc ->> ''name'''))
            when 'tag_value' then 'x.key || '':'' || left(x.value, 256), null::text'
            else format('substr(f, %s), null::text', length(about) + 2)
        end,
        case about
            when 'party' then format('join vcontract.party p on p.tenant = %L and p.vcon = d.id', tenant)
            when 'tag_value' then format('join vcontract.tag x on x.tenant = %L and x.vcon = d.id', tenant)
            else format('join vcontract.vcon x on x.tenant = %L and x.uuid = d.id'
                ' join unnest(x.features) f on f like %L', tenant, about || ':%')
        end,
        vcontract.search_conditions(spec, kind), most);
end
$$;

-- How many of superseded_versions() meet a specification but for its `versions`.
create or replace function vcontract.superseded_count(spec jsonb) returns bigint
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    result bigint;
begin
    execute format(
        'select count(*) from vcontract.search_document d'
        ' where d.id = any (array(select vcontract.superseded_versions())) and %s',
        vcontract.search_conditions(spec - 'versions', 'vcon')) into result;
    return result;
end
$$;

-- The vCons that meet a specification by one to three groupings, at most `most` groups, and a last row without keys
-- about all of them. A grouping is tag:<key>, dealer, party, role (party and role of one party), type, vendor (of one
-- analysis), purpose, vcon, day, week, month, or hour of the week, in UTC. A vCon counts once in each group that it is in.
-- Groups are ordered by key, duration (longest first) or count (most vCons first).
-- parties are distinct, by person, else name, else address, else number; seconds is what the dialogs of the `timed` vCons last.
-- `groups`, `added` (their vcons together) and `grouped` (vCons in any) are told of all groups, in the last row.
-- `measured` has for each of `measures`, by its place, of how many vCons it is known, total, median and share.
drop function if exists vcontract.aggregate_vcons(jsonb, text[], text, integer);
create or replace function vcontract.aggregate_vcons(
    spec jsonb, groupings text[], order_by text, most integer, measures text[] default '{}')
    returns table (
        keys text[], labels text[], vcons bigint, parties bigint, timed bigint, seconds double precision,
        first timestamptz, last timestamptz, groups bigint, added bigint, grouped bigint, measured jsonb
    )
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
    person constant text := vcontract.who();
    of_tenant constant text := format(' on %%1$s.tenant = %L and %%1$s.vcon = c.id', tenant);
    grouping_ text;
    sequence constant text := case order_by
        when 'key' then '%1$s.keys,' when 'duration' then '%1$s.seconds desc nulls last,' else '' end;
    number integer := 0;
    source text;
    joins text := '';
    named text[] := '{}';
    labelled text[] := '{}';
    shown text[] := array['min(n.labels[1])', 'min(n.labels[2])', 'min(n.labels[3])'];
    is_measured constant boolean := cardinality(measures) > 0;
    -- of party and role it is the party whose turns count
    place constant integer := coalesce(array_position(groupings, 'party'), array_position(groupings, 'role'), 0);
    is_role constant boolean := array_position(groupings, 'party') is null;
    share constant integer := array_position(measures, 'share');
    measuring text := '';
begin
    foreach grouping_ in array groupings loop
        number := number + 1;
        if grouping_ = 'dealer' then
            shown[number] := format('vcontract.names_and_counts(array_agg(n.labels[%s]), array_agg(1::bigint))', number);
        end if;
        source := case
            when grouping_ like 'tag:%' then format(' join vcontract.tag t%s', number)
                || format(of_tenant, 't' || number) || format(' and t%s.key = %L', number, substr(grouping_, 5))
            when grouping_ = 'dealer' then ' join vcontract.dealer r' || format(of_tenant, 'r')
            when grouping_ in ('party', 'role') then ' join vcontract.party p' || format(of_tenant, 'p')
            when grouping_ in ('type', 'vendor') then ' join vcontract.analysis a' || format(of_tenant, 'a')
            when grouping_ = 'purpose' then ' join vcontract.attachment f' || format(of_tenant, 'f')
                || ' and f.purpose <> ''tags'''
            when grouping_ = 'vcon' then format(' join vcontract.vcon v on v.tenant = %L and v.uuid = c.id', tenant)
            else '' end;
        joins := joins || case when strpos(joins, source) = 0 then source else '' end;
        named := named || case
            when grouping_ like 'tag:%' then format('left(t%s.value, 256)', number)
            else case grouping_
                when 'dealer' then 'left(r.id, 256)'
                when 'party' then format('left(%s, 256)', person)
                when 'role' then 'left(case when json_typeof(p.doc -> ''role'') = ''string'' then p.doc ->> ''role'' end, 256)'
                when 'type' then 'left(a.type, 256)'
                when 'vendor' then 'left(a.vendor, 256)'
                when 'purpose' then 'left(f.purpose, 256)'
                when 'vcon' then 'c.id::text'
                else format('to_char(c.occurred_at at time zone ''UTC'', %L)', case grouping_
                    when 'day' then 'YYYY-MM-DD'
                    when 'week' then 'IYYY-"W"IW'
                    when 'month' then 'YYYY-MM'
                    when 'hour' then 'Dy HH24' end) end end;
        labelled := labelled || case grouping_
            when 'dealer' then 'left(r.name, 256)'
            when 'vcon' then 'left(nullif(v.head ->> ''subject'', ''''), 256)'
            when 'party' then format('left(%s, 256)', vcontract.as_person('a.person',
                'p.doc ->> case when p.name_folded <> '''' then ''name'''
                ' when p.email_folded <> '''' then ''mailto'' else ''tel'' end'))
            else 'null' end;
    end loop;
    if is_measured then
        measuring := format(
            ', valued (id, number, value) as materialized (%s), own as materialized (%s)',
            vcontract.measured_values(measures, spec -> 'said', tenant),
            vcontract.turns_by_whom(case when is_role then 'role' else 'party' end, spec -> 'said', tenant, person))
            || case when share is null then '' else format(', asked as materialized (%s), named_asked as ('
                'select distinct c.id, array[%s]::text[] collate "C" as keys from asked c%s)',
                vcontract.asked_of(spec), array_to_string(named, ', '), joins) end
            || format(', placed as (%s), measured as (%s), in_all as (%s)',
                vcontract.values_of_groups(measures, place, is_role), vcontract.summed_up('select * from placed'),
                vcontract.summed_up('select null as keys, v.number, v.value, null::float as whole from valued v' || case
                    when share is null then '' else format(' union all select null, %s, v.value, null from asked v', share) end));
    end if;
    return query execute format(
        'with chosen as materialized ('
        '  select d.id, d.occurred_at, ('
        '   select sum((g.doc ->> ''duration'')::numeric) from vcontract.dialog g'
        '   where g.tenant = %2$L and g.vcon = d.id'
        '    and g.doc ->> ''duration'' is not null and json_typeof(g.doc -> ''duration'') = ''number'''
        '    and g.doc ->> ''duration'' ~ ''^[0-9]{1,12}([.][0-9]{1,32})?([eE][+-]?[0-9])?$'') as seconds%11$s'
        '  from vcontract.search_document d where %1$s),'
        ' named as materialized ('
        '  select n.id, n.keys, array[min(n.label1), min(n.label2), min(n.label3)] as labels,'
        '   min(n.occurred_at) as occurred_at, min(n.seconds) as seconds from ('
        '   select c.id, array[%3$s]::text[] collate "C" as keys, %4$s, c.occurred_at, c.seconds from chosen c%5$s'
        '  ) n (id, keys, label1, label2, label3, occurred_at, seconds)'
        '  where '''' <> all (n.keys) group by n.id, n.keys),'
        ' counted as materialized ('
        '  select n.keys, array[%10$s] as labels, count(*) as vcons,'
        '   count(n.seconds) as timed, sum(n.seconds)::double precision as seconds,'
        '   min(n.occurred_at) as first, max(n.occurred_at) as last from named n group by n.keys),'
        ' listed as materialized ('
        '  select * from counted n order by %7$s n.vcons desc, n.keys limit %8$s),'
        ' people as (select n.keys, count(distinct %6$s) as parties'
        '  from listed w join named n on n.keys = w.keys join vcontract.party p on p.tenant = %2$L and p.vcon = n.id'
        '  group by n.keys)%12$s'
        ' (select w.keys, w.labels, w.vcons, coalesce(x.parties, 0), w.timed, w.seconds, w.first, w.last,'
        '   null::bigint, null::bigint, null::bigint, %13$s'
        '  from listed w left join people x on x.keys = w.keys%14$s'
        '  order by %9$s w.vcons desc, w.keys)'
        ' union all'
        ' select null, null, count(*), (select count(distinct %6$s) from chosen c'
        '   join vcontract.party p on p.tenant = %2$L and p.vcon = c.id),'
        '  count(c.seconds), sum(c.seconds)::double precision, min(c.occurred_at), max(c.occurred_at),'
        '  (select count(*) from counted), (select coalesce(sum(n.vcons), 0)::bigint from counted n),'
        '  (select count(distinct n.id) from named n), %15$s'
        ' from chosen c',
        vcontract.search_conditions(spec, 'vcon'), tenant, array_to_string(named, ', '),
        array_to_string(labelled || array_fill('null'::text, array[3 - number]), ', '), joins, person,
        format(sequence, 'n'), most, format(sequence, 'w'), array_to_string(shown, ', '),
        case when is_measured then ', ' || vcontract.columns_of_measures() end,
        measuring,
        case when is_measured then 'y.measures' else 'null::jsonb' end,
        case when is_measured then ' left join measured y on y.keys = w.keys' end,
        case when is_measured then '(select y.measures from in_all y)' else 'null::jsonb' end);
end
$$;

-- The vCons that meet a specification in the last whole periods before `until`, and as many periods before those: by period
-- (begins is its first instant), and of each span as a whole (begins is null). `about` is vcons with counts of what they
-- have, or a tag key with the vCons that have it. Units are day, week (of ISO 8601) and month, in UTC.
create or replace function vcontract.trend_vcons(spec jsonb, unit text, periods integer, until timestamptz)
    returns table (
        key text, is_before boolean, begins timestamptz, vcons bigint, dialogs bigint, analyses bigint, attachments bigint,
        parties bigint
    )
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
    ends constant timestamp := date_trunc(unit, until at time zone 'UTC');
    step constant interval := ('1 ' || unit)::interval;
    since constant timestamptz := (ends - 2 * periods * step) at time zone 'UTC';
    within constant jsonb := spec || jsonb_build_object(
        'from', greatest((spec ->> 'from')::timestamptz, since), 'to', ends at time zone 'UTC');
begin
    return query execute format(
        'with chosen as materialized ('
        '  select d.id, date_trunc(%1$L, d.occurred_at at time zone ''UTC'') as period,'
        '   d.occurred_at < %2$L::timestamptz as is_before from vcontract.search_document d where %3$s),'
        ' spans as ('
        '  select g as period, g at time zone ''UTC'' < %2$L::timestamptz as is_before'
        '  from generate_series(%4$L::timestamp, %5$L::timestamp, %6$L::interval) g'
        '  union all select null, true union all select null, false),'
        ' counted as ('
        '  select c.period, c.is_before, count(*) as vcons, sum(v.dialogs) as dialogs, sum(v.analyses) as analyses,'
        '   sum(v.attachments) as attachments'
        '  from chosen c join vcontract.vcon v on v.tenant = %7$L and v.uuid = c.id'
        '  group by grouping sets ((c.period, c.is_before), (c.is_before))),'
        ' people as ('
        '  select c.period, c.is_before, count(distinct %8$s) as parties'
        '  from chosen c join vcontract.party p on p.tenant = %7$L and p.vcon = c.id'
        '  group by grouping sets ((c.period, c.is_before), (c.is_before)))'
        ' select null, s.is_before, s.period at time zone ''UTC'', coalesce(n.vcons, 0), coalesce(n.dialogs, 0),'
        '  coalesce(n.analyses, 0), coalesce(n.attachments, 0), coalesce(w.parties, 0)'
        ' from spans s'
        ' left join counted n on n.period is not distinct from s.period and n.is_before = s.is_before'
        ' left join people w on w.period is not distinct from s.period and w.is_before = s.is_before'
        ' union all select t.key, c.is_before, null, count(*), 0, 0, 0, 0'
        '  from chosen c join vcontract.tag t on t.tenant = %7$L and t.vcon = c.id group by t.key, c.is_before'
        ' order by 1 nulls first, 3 nulls first, 2',
        unit, (ends - periods * step) at time zone 'UTC', vcontract.search_conditions(within, 'vcon'),
        ends - 2 * periods * step, ends - step, step, tenant, vcontract.who());
end
$$;
