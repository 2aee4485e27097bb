-- Measures of vCons: SQL of their values, and of what they come to in groups.

-- The measures of calls that search_document has.
create or replace function vcontract.call_measures() returns text[]
    language sql immutable parallel safe
    return '{handle_seconds,talk_seconds,silence_seconds,longest_turn_seconds,overlaps,hold_seconds,transfers}'::text[];

-- SQL of their columns of search_document d.
create or replace function vcontract.columns_of_measures() returns text
    language sql immutable parallel safe
    return 'd.' || array_to_string(array_remove(vcontract.call_measures(), 'overlaps'), ', d.') || ', d.overlapping_turns as "overlaps"';

-- SQL of the known values (id, number, value) of measures, numbered by their place, of the vCons in `chosen c`, which has
-- call_measures(). A measure is one of these, or tag:<key> for tags that are numbers.
create or replace function vcontract.measured_values(measures text[], tenant text) returns text
    language sql immutable
    return (
        select coalesce(string_agg(p.piece, ' union all '), 'select null::uuid as id, 0::bigint as number, 0::float as value where false')
        from (
            select format('select c.id, x.number::bigint, x.value from chosen c'
                ' cross join lateral (values %s) x (number, value) where x.value is not null',
                string_agg(format('(%s, c.%I::float)', m.number, m.name), ', ')) as piece
            from unnest(measures) with ordinality m (name, number)
            where m.name = any (vcontract.call_measures()) having count(*) > 0
            union all
            select format('select c.id, %s::bigint, t.value::float from chosen c join vcontract.tag t on t.tenant = %L'
                ' and t.vcon = c.id and t.key = %L where t.value ~ ''^[+-]?[0-9]{1,15}([.][0-9]{1,32})?$''',
                m.number, tenant, substr(m.name, 5))
            from unnest(measures) with ordinality m (name, number) where m.name like 'tag:%'
        ) p);

-- SQL that sums up rows `m (keys, number, value, whole)` of a source by their keys, as a JSON list; whole is what a value
-- is a part of.
create or replace function vcontract.summed_up(source text) returns text
    language sql immutable
    return format('select x.keys, jsonb_agg(to_jsonb(x) - ''keys'') as measures from (select m.keys, m.number,'
        ' count(*) as known, sum(m.value) as total, percentile_cont(0.5) within group (order by m.value) as median,'
        ' sum(m.value * m.whole) / nullif(sum(m.whole), 0) as share'
        ' from %s m where m.value is not null group by m.keys, m.number) x group by x.keys', source);

-- SQL of values (keys, number, value, whole) for groups `listed`, which are `named` in `chosen`: of measures, and of those
-- about turns what the party or the role that is the group's key `place` has of them.
create or replace function vcontract.values_of_groups(measures text[], tenant text, place integer, is_role boolean) returns text
    language sql immutable
    return format('select n.keys, v.number, v.value, null::float as whole from listed w join named n on n.keys = w.keys'
        ' join valued v on v.id = n.id%s', case when place > 0 then format(' where v.number <> all (%L::bigint[])', array(
            select m.number from unnest(measures) with ordinality m (name, number)
            where m.name in ('talk_seconds', 'longest_turn_seconds'))) end)
        || coalesce((
            select format(' union all select n.keys, x.number, x.value, c.talk_seconds from listed w'
                ' join named n on n.keys = w.keys join chosen c on c.id = n.id and c.talk_seconds is not null'
                ' left join own o on o.id = n.id and o.who = %s'
                ' cross join lateral (values %s) x (number, value)'
                ' where n.id not in (select u.id from own u where u.who is null)',
                format(case when is_role then 'vcontract.folded(btrim(n.keys[%s]))' else 'n.keys[%s]' end, place),
                string_agg(format('(%s::bigint, %s)', m.number, case m.name
                    when 'talk_seconds' then 'coalesce(o.talk, 0)' when 'longest_turn_seconds' then 'o.longest'
                    else 'coalesce(o.talk, 0) / c.talk_seconds' end), ', '))
            from unnest(measures) with ordinality m (name, number)
            where place > 0 and m.name in ('talk_seconds', 'longest_turn_seconds', 'talk_share') having count(*) > 0), '');

-- SQL of who has which turns in the vCons of `chosen`: (id, who, talk, longest), by role or by party, whose `person` is SQL of a party p.
create or replace function vcontract.turns_by_whom(tenant text, is_role boolean, person text) returns text
    language sql immutable
    return case when is_role then format(
        'select t.vcon as id, t.role as who, sum(t.length) as talk, max(t.length) as longest from chosen c'
        ' join vcontract.turn t on t.tenant = %L and t.vcon = c.id and t.words is not null'
        ' where c.talk_seconds is not null group by t.vcon, t.role', tenant)
    else format(
        'select s.id, (select left(%2$s, 256) from vcontract.party p where p.tenant = %1$L and p.vcon = s.id and s.speaker ='
        '   coalesce(nullif(p.name_folded, ''''), nullif(p.email_folded, ''''), nullif(p.tel_digits, '''')) limit 1) as who,'
        '  sum(s.talk) as talk, max(s.longest) as longest'
        ' from (select t.vcon as id, t.speaker, sum(t.length) as talk, max(t.length) as longest from chosen c'
        '  join vcontract.turn t on t.tenant = %1$L and t.vcon = c.id and t.words is not null'
        '  where c.talk_seconds is not null group by t.vcon, t.speaker) s group by 1, 2', tenant, person) end;

-- The known values of measures in the vCons that meet a specification, as measured_values() numbers them.
create or replace function vcontract.measure_values(spec jsonb, measures text[])
    returns table (id uuid, number bigint, value double precision)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    return query execute format('with chosen as materialized (select d.id, %s from vcontract.search_document d where %s) %s',
        vcontract.columns_of_measures(), vcontract.search_conditions(spec, 'vcon'),
        vcontract.measured_values(measures, vcontract.current_tenant()));
end
$$;
