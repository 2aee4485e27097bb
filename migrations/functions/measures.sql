-- Measures of vCons: SQL of their values, and of what they come to in groups.

-- The measures of calls that search_document has.
create or replace function vcontract.call_measures() returns text[]
    language sql immutable parallel safe
    return '{handle_seconds,talk_seconds,silence_seconds,longest_turn_seconds,overlaps,hold_seconds,transfers}'::text[];

-- SQL of columns of search_document d that measures need.
create or replace function vcontract.columns_of_measures() returns text
    language sql immutable parallel safe
    return 'd.' || array_to_string(array_remove(vcontract.call_measures(), 'overlaps'), ', d.')
        || ', d.overlapping_turns as "overlaps", d.turns_end';

-- Roles of parties that answer calls.
create or replace function vcontract.answering_roles() returns text[]
    language sql immutable parallel safe
    return '{agent,representative,rep,supervisor,advisor,manager,operator,employee,staff,assistant,bot}'::text[];

-- SQL of who called when: (vcon, is_repeat), whether a party has been in a conversation that began up to so many days before.
-- Parties are the same by number, address or known person, and those who answer calls, there or elsewhere, do not count.
create or replace function vcontract.repeat_contacts(days integer) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    person constant text := vcontract.as_person('a.person', 'null');
begin
    return format(
        'select k.vcon, bool_or(k.is_repeat) as is_repeat from ('
        ' select n.vcon, bool_or(n.answers) over (partition by n.key) as answers, count(*) over (partition by n.key order by n.occurred_at'
        '  range between interval ''%3$s days'' preceding and interval ''1 microsecond'' preceding) > 0 as is_repeat'
        ' from (select d.id as vcon, d.occurred_at, i.key,'
        '   bool_or(coalesce(vcontract.folded(btrim(case when json_typeof(p.doc -> ''role'') = ''string'' then p.doc ->> ''role'' end)), '''')'
        '    = any (vcontract.answering_roles())) as answers'
        '  from vcontract.search_document d'
        '  join vcontract.party p on p.tenant = d.tenant and p.vcon = d.id'
        '  cross join lateral (select ''tel '' || p.tel_digits where p.tel_digits <> '''''
        '   union all select ''mail '' || m from string_to_table(p.email_folded, e''\n'') m where m <> '''''
        '   union all select ''person '' || y.person from (select %2$s as person) y where y.person is not null) i (key)'
        '  where d.tenant = %1$L and d.kind = ''vcon''%4$s and d.id <> all (array(select vcontract.superseded_versions()))'
        '  group by d.id, d.occurred_at, i.key) n'
        ') k where not k.answers group by k.vcon', tenant, person, days, vcontract.consent_condition());
end
$$;

-- SQL of the known values (id, number, value) of measures, numbered by their place, of the vCons in `chosen c`, which has
-- columns_of_measures(): one of call_measures(); tag:<key> for tags that are numbers; analysis:<type>.<path> for numbers in
-- JSON bodies; repeats:<days>; times_said, of turns that meet `said`.
create or replace function vcontract.measured_values(measures text[], said jsonb, tenant text) returns text
    language plpgsql stable
as $$
declare
    pieces text[] := '{}';
    name text;
    number integer := 0;
begin
    foreach name in array measures loop
        number := number + 1;
        pieces := pieces || case
            when name = any (vcontract.call_measures()) then
                format('select c.id, %s, c.%I from chosen c where c.%2$I is not null', number, name)
            when name like 'tag:%' then format(
                'select c.id, %s, t.value::float from chosen c join vcontract.tag t on t.tenant = %L and t.vcon = c.id and t.key = %L'
                ' where t.value ~ ''^[+-]?[0-9]{1,15}([.][0-9]{1,32})?$''', number, tenant, substr(name, 5))
            when name like 'analysis:%' then format(
                'select c.id, %s, avg(x.number) from chosen c join vcontract.analysis a on a.tenant = %L and a.vcon = c.id and a.type = %L'
                ' cross join vcontract.number_in(a.doc -> ''body'', %L) x (number) where x.number is not null group by c.id',
                number, tenant, split_part(substr(name, 10), '.', 1),
                (string_to_array(substr(name, 10), '.'))[2:])
            when name like 'repeats:%' then format(
                'select c.id, %s, r.is_repeat::integer::float from chosen c join (%s) r on r.vcon = c.id',
                number, vcontract.repeat_contacts(substr(name, 9)::integer))
            when name = 'times_said' then format(
                'select d.id, %s, count(*)::float from chosen d join vcontract.turn t on t.tenant = %L and t.vcon = d.id and %s group by d.id',
                number, tenant, vcontract.is_said_in_turn(said))
            end;
    end loop;
    return coalesce(nullif(array_to_string(pieces, ' union all '), ''), 'select null::uuid, 0, 0::float where false');
end
$$;

-- SQL for whether a turn t of a vCon d says one of the phrases of `said`, by whom and when that asks.
create or replace function vcontract.is_said_in_turn(said jsonb) returns text
    language plpgsql immutable
as $$
begin
    return format('coalesce(t.words @@ %L::tsquery and %s, false)',
        (select string_agg(format('(%s)', words), ' | ') from unnest(vcontract.said_phrases(said)) words),
        vcontract.said_by_and_when(said));
end
$$;

-- A number in a JSON document, or in JSON that is its text; null if there is no number.
create or replace function vcontract.number_in(body json, path text[]) returns double precision
    language plpgsql immutable parallel safe
as $$
declare
    found json := body;
begin
    if json_typeof(body) = 'string' then
        if body::text ~ '\\u0000' or not pg_input_is_valid(body #>> '{}', 'json') then
            return null;
        end if;
        found := body #>> '{}';
    end if;
    found := found #> path;
    return case when json_typeof(found) = 'number' and length(found::text) <= 40 and abs((found #>> '{}')::numeric) < 1e15
        then (found #>> '{}')::float end;
end
$$;

-- SQL that sums up rows `m (keys, number, value, whole)` of a source by their keys, as a JSON list; whole is what a value
-- is a part of.
create or replace function vcontract.summed_up(source text) returns text
    language sql immutable
    return format('select x.keys, jsonb_agg(to_jsonb(x) - ''keys'') as measures from (select m.keys, m.number,'
        ' count(m.value) as known, count(*) - count(m.value) as unknown, coalesce(sum(m.value), 0) as total,'
        ' percentile_cont(0.5) within group (order by m.value) as median,'
        ' sum(m.value * m.whole) / nullif(sum(m.whole) filter (where m.value is not null), 0) as share'
        ' from (%s) m group by m.keys, m.number) x group by x.keys', source);

-- SQL of values (keys, number, value, whole) for groups `listed`, which are `named` in `chosen`: of measures, and of those
-- about turns what the party or the role that is the group's key `place` has of them.
create or replace function vcontract.values_of_groups(measures text[], place integer, is_role boolean) returns text
    language plpgsql immutable
as $$
declare
    members constant text := 'select n.keys, %s, %s from listed w join named n on n.keys = w.keys join chosen c on c.id = n.id';
    own constant text := members || format(' left join own o on o.id = n.id and o.who = %s',
        format(case when is_role then 'vcontract.folded(btrim(n.keys[%s]))' else 'n.keys[%s]' end, place))
        || ' where n.id not in (select u.id from own u where u.who is null%s)';
    talked constant text := ' and c.talk_seconds is not null';
    pieces text[] := '{}';
    of_turns integer[] := '{}';
    name text;
    number integer := 0;
begin
    foreach name in array measures loop
        number := number + 1;
        if name = 'share' then
            pieces := pieces || format('select n.keys, %s, v.value, null::float from listed w'
                ' join named_asked n on n.keys = w.keys join asked v on v.id = n.id', number);
        elsif place > 0 and name in ('talk_seconds', 'longest_turn_seconds', 'talk_share', 'times_said') then
            of_turns := of_turns || number;
            pieces := pieces || case name
                when 'talk_seconds' then format(own, number, 'coalesce(o.talk, 0), null::float', '') || talked
                when 'longest_turn_seconds' then format(own, number, 'o.longest, null::float', '') || talked || ' and o.longest > 0'
                when 'talk_share' then
                    format(own, number, 'coalesce(o.talk, 0) / c.talk_seconds, c.talk_seconds', '') || talked
                else format(own, number, 'coalesce(o.times, 0)::float, null::float', ' and u.times > 0') end;
        end if;
    end loop;
    return format('select n.keys, v.number, v.value, null::float as whole from listed w join named n on n.keys = w.keys'
        ' join valued v on v.id = n.id where v.number <> all (%L::integer[])', of_turns)
        || coalesce(' union all ' || nullif(array_to_string(pieces, ' union all '), ''), '');
end
$$;

-- SQL of who has which turns in the vCons of `chosen d`: (id, who, talk, longest, times), times of turns that meet `said`; who
-- is the role, the label, or the party of this label, whose `person` is SQL of a party p.
create or replace function vcontract.turns_by_whom(who text, said jsonb, tenant text, person text) returns text
    language plpgsql stable
as $$
declare
    turns constant text := format(
        'select d.id, %s as who, sum(t.length) as talk, max(t.length) as longest, count(*) filter (where %s) as times'
        ' from chosen d join vcontract.turn t on t.tenant = %L and t.vcon = d.id and t.words is not null group by d.id, 2',
        case who when 'role' then 't.role' else 't.speaker' end,
        case when said is null then 'false' else vcontract.is_said_in_turn(said) end, tenant);
begin
    return case when who <> 'party' then turns else format(
        'select s.id, (select left(%2$s, 256) from vcontract.party p where p.tenant = %1$L and p.vcon = s.id and s.who ='
        '   coalesce(nullif(p.name_folded, ''''), nullif(p.email_folded, ''''), nullif(p.tel_digits, '''')) limit 1) as who,'
        '  sum(s.talk) as talk, max(s.longest) as longest, sum(s.times) as times'
        ' from (%3$s) s group by s.id, 2', tenant, person, turns) end;
end
$$;

-- SQL of the vCons that meet a specification but for said and not_said, with 1 if these hold, 0 if not, null if that is unknown.
create or replace function vcontract.asked_of(spec jsonb) returns text
    language plpgsql stable
as $$
declare
    others constant jsonb := spec - '{said,not_said}'::text[];
begin
    return format('select d.id, case when d.id in (select c.id from chosen c) then 1.0 when d.id not in ('
        'select d.id from vcontract.search_document d where %2$s) then 0.0 end::float as value, d.occurred_at'
        ' from vcontract.search_document d where %1$s',
        vcontract.search_conditions(others, 'vcon'), vcontract.search_conditions(spec || '{"said_unknown": true}', 'vcon'));
end
$$;

-- The known values of measures in the vCons that meet a specification, as measured_values() numbers them.
create or replace function vcontract.measure_values(spec jsonb, measures text[])
    returns table (id uuid, number integer, value double precision)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    return query execute format('with chosen as materialized (select d.id, %s from vcontract.search_document d where %s) %s',
        vcontract.columns_of_measures(), vcontract.search_conditions(spec, 'vcon'),
        vcontract.measured_values(measures, spec -> 'said', vcontract.current_tenant()));
end
$$;

-- How often each speaker says what `said` of a specification asks, in the vCons that meet it; speaker is null if unknown.
create or replace function vcontract.times_said_by(spec jsonb)
    returns table (id uuid, speaker text, times bigint)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    return query execute format('with chosen as materialized (select d.id, %s from vcontract.search_document d where %s)'
        ' select x.id, x.who, x.times from (%s) x where x.times > 0',
        vcontract.columns_of_measures(), vcontract.search_conditions(spec, 'vcon'),
        vcontract.turns_by_whom('speaker', spec -> 'said', vcontract.current_tenant(), null));
end
$$;
