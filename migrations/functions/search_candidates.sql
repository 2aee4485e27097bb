-- Candidates: what a search ranks. Row security keeps PostgreSQL from the GIN and HNSW indexes, so this function runs with
-- its owner's rights, names the tenant and hands out nothing but keys, words and cosines. The formula is in
-- runtime/store/search/ranking.py.

-- How many things are compared one by one rather than found through the index. Walking the index takes the longer the
-- smaller the share of the store that is asked for, and comparing the more, the more that is: they meet near the root.
create or replace function vcontract.most_compared() returns integer
    language sql stable
as $$
    -- what was never counted is small, or it would have been
    select case when c.reltuples < 0 then 3000 else least(greatest(25 * sqrt(c.reltuples), 300), 10000) end
    from pg_class c where c.oid = 'vcontract.search_document'::regclass
$$;

-- The things that meet conditions (SQL of search_conditions); null when there are more than at_most.
create or replace function vcontract.few_matches(conditions text, at_most integer) returns uuid[]
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    found uuid[];
begin
    execute format('select coalesce(array_agg(f.id), ''{}'') from'
        ' (select d.id from vcontract.search_document d where %s limit %s) f', conditions, at_most + 1) into found;
    return case when cardinality(found) <= at_most then found end;
end
$$;

-- SQL for the weights of the words that a text has, added up.
create or replace function vcontract.weight_of(field text, words tsquery[], weights integer[]) returns text
    language sql immutable
    return (
        select coalesce(string_agg(format('case when %s @@ %L::tsquery then %s else 0 end', field, u.word, u.weight), ' + '), '0')
        from unnest(words, weights) u (word, weight));

-- SQL for whether a field is the tenant. An index finds words faster without the tenant, and then the rows of others are read
-- and left out: so where most of what is stored is the tenant's.
create or replace function vcontract.tenant_condition(field text) returns text
    language sql stable
    return (
        select format(case when coalesce(max(m.frequency) filter (where m.tenant = vcontract.current_tenant()) > 0.5, count(*) = 0)
            then '%s || '''' = %L' else '%s = %L' end, field, vcontract.current_tenant())
        from pg_stats s
        cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) m (tenant, frequency)
        where s.schemaname = 'vcontract' and s.tablename = 'passage' and s.attname = 'tenant');

-- About how many vectors things have, by some of them: those of another kind, or that a filter keeps, may be far shorter
-- than most.
create or replace function vcontract.about_vectors(ids uuid[], kind text, space integer) returns double precision
    language sql stable
    return (
        select cardinality(ids) / cardinality(sampled.few)::double precision * (select count(*) from vcontract.vectors_of(sampled.few, kind, space))
        from (
            select array_agg(ids[n]) as few from generate_series(1, cardinality(ids), greatest(cardinality(ids) / 20, 1)) n
        ) sampled);

-- How many vectors are compared one by one rather than found through the index of a space: up to four times as many as the
-- index passes by until it has found most_nearest of them.
create or replace function vcontract.most_vectors(space integer, most_nearest integer) returns double precision
    language sql stable
    return (
        select greatest(4000, sqrt(4.0 * most_nearest * greatest(v.reltuples, 0)))
        from pg_class v where v.oid = to_regclass('vcontract.embedding_' || space));

-- SQL for whether a passage p was said in the window of a specification; one without a time may have been.
create or replace function vcontract.said_condition(spec jsonb) returns text
    language sql immutable
    return case when spec ?| '{said_from,said_to}' then format(
        '(p.occurred_at is null or p.occurred_at >= %L and p.occurred_at < %L)',
        coalesce(spec ->> 'said_from', '-infinity'), coalesce(spec ->> 'said_to', 'infinity')) end;

-- SQL for whether the passage of a vector was said in that window; nothing without one.
create or replace function vcontract.vector_said(spec jsonb, vector text) returns text
    language sql stable
    return coalesce(format(
        ' and exists (select from vcontract.passage p where p.tenant = %L and p.kind = ''vcon'' and p.id = %2$s.id'
        ' and p.part = %2$s.part and p.element = %2$s.element and p.chunk = %2$s.chunk and ',
        vcontract.current_tenant(), vector) || vcontract.said_condition(spec) || ')', '');

drop function if exists vcontract.nearest_by_index(text, integer, text, boolean, boolean);

-- SQL for the passages nearest to a vector ($2) by the index of a space, at most $3, among things that meet conditions: all of
-- the kind, those listed ($1), or those that the conditions on d let pass; `said` is one on the vector e.
create or replace function vcontract.nearest_by_index(
    kind text, space integer, conditions text, is_all boolean, are_listed boolean, said text
) returns text
    language sql stable
    return (
        select format(
            'select n.* from (select %s as id, e.part, e.element, e.chunk, null::timestamptz, null::integer, -(e.vector::halfvec(%s) <#> $2)'
            ' from vcontract.embedding e where e.space = %s and e.tenant = %L and %s%s%s'
            ' order by e.vector::halfvec(%2$s) <#> $2 limit $3) n where n.id is not null',
            case when kind = 'exchange' then vcontract.thing_of_vector(kind, conditions) else 'e.id' end,
            s.dimension, space, vcontract.current_tenant(),
            vcontract.is_of_kind('e.kind', case kind when 'exchange' then 'vcon' else kind end),
            case when kind = 'exchange' then format(' and %s is not null', vcontract.thing_of_vector(kind, conditions))
                when is_all then '' when are_listed then ' and e.id = any($1)'
                else format(' and %s is not null', vcontract.thing_of_vector(kind, conditions)) end,
            said)
        from vcontract.embedding_space s where s.id = space);

-- The passages of vCons, or other things as wholes (part is null), that meet spec, and of them only `among` if given:
--   by words   those that hold `lead`, each with the weights of all `words` that it holds added up, the heaviest first, then
--              the latest; at most `most_of_one` of one vCon, those up to `cut` if given, at most `most_by_words`
--   by vector  those nearest to `vector` in `space`, each with its cosine, at most `most_nearest`; each thing is compared
--              where they are few, or `is_exhaustive`
-- Of a window (said_from, said_to) only passages said in it, or whose time is not known.
create or replace function vcontract.search_candidates(
    spec jsonb, kind text, among uuid[],
    words tsquery[], weights integer[], lead tsquery, most_by_words integer, most_of_one integer,
    cut_weight integer, cut_at timestamptz, cut_id uuid,
    space integer, vector halfvec, most_nearest integer, is_exhaustive boolean
) returns table (
    id uuid, part text, element integer, chunk integer, occurred_at timestamptz, weight integer, cosine double precision
)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
    set max_parallel_workers_per_gather = 0
    set hnsw.iterative_scan = relaxed_order set hnsw.max_scan_tuples = 40000 set hnsw.ef_search = 100
as $$
declare
    most_listed constant integer := 10000;
    tenant constant text := vcontract.current_tenant();
    of_kind constant text := format('d.tenant = %L and %s', tenant, vcontract.is_of_kind('d.kind', kind));
    conditions constant text := vcontract.search_conditions(spec, kind)
        || case when among is null then '' else format(' and d.id = any(%L::uuid[])', among) end;
    is_all constant boolean := conditions = of_kind;
    -- the things that meet the conditions, where they are not too many to be listed
    listed constant uuid[] := case when not is_all then vcontract.few_matches(conditions, most_listed) end;
    compared uuid[];
    meets text := '';
    found integer;
begin
    if not is_all then
        meets := case when listed is not null then ' and %1$s.id = any($1)'
            else ' and exists (select from vcontract.search_document d where d.id = %1$s.id and ' || replace(conditions, '%', '%%') || ')' end;
    end if;
    if lead is not null and most_by_words > 0 then
        return query execute
            'with held as ('
            || case kind when 'vcon' then
                ' select p.id, p.part, p.element, p.chunk, p.occurred_at, ' || vcontract.weight_of('p.words', words, weights)
                || ' from vcontract.passage p where ' || vcontract.tenant_condition('p.tenant')
                || ' and p.kind = ''vcon'' and p.words @@ $2' || format(meets, 'p')
                || coalesce(' and ' || vcontract.said_condition(spec), '')
            else
                ' select d.id, null::text, null::integer, null::integer, d.occurred_at, '
                || vcontract.weight_of('d.words', words, weights)
                || ' from vcontract.search_document d where d.words @@ $2 and '
                || case when listed is null then conditions else of_kind || format(meets, 'd') end
            end
            || '), ordered as ('
            ' select h.*, row_number() over (partition by h.id'
            '  order by h.weight desc, h.occurred_at desc nulls last, h.part, h.element, h.chunk) as number'
            ' from held h (id, part, element, chunk, occurred_at, weight)'
            ' where $3 is null or (h.weight, coalesce(h.occurred_at, ''-infinity''), h.id) >= ($3, coalesce($4, ''-infinity''), $5))'
            ' select o.id, o.part, o.element, o.chunk, o.occurred_at, o.weight, null::double precision'
            ' from ordered o where o.number <= $6'
            ' order by o.weight desc, o.occurred_at desc nulls last, o.id desc fetch first ($7) rows with ties'
        using listed, lead, cut_weight, cut_at, cut_id, most_of_one, most_by_words;
    end if;
    if vector is null or most_nearest < 1 then
        return;
    end if;
    if listed is null then
        compared := vcontract.few_matches(conditions, case when is_exhaustive then 2147483646
            when search_candidates.kind = 'vcon' then vcontract.most_compared() else most_listed end);
    else
        compared := listed;
    end if;
    if not is_exhaustive and vcontract.about_vectors(compared, search_candidates.kind, space)
        > vcontract.most_vectors(space, most_nearest) then
        compared := null;
    end if;
    if compared is null then
        perform set_config('hnsw.ef_search', least(greatest(most_nearest + 100, 200), 1000)::text, true);
        return query execute vcontract.nearest_by_index(
            kind, space, conditions, is_all, listed is not null, vcontract.vector_said(spec, 'e'))
        using listed, vector, most_nearest;
        get diagnostics found = row_count;
        -- the index gives up where the conditions let little of what it walks over pass
        if found >= most_nearest or listed is null then
            return;
        end if;
        compared := listed;
    end if;
    return query execute
        'select n.id, n.part, n.element, n.chunk, null::timestamptz, null::integer, n.cosine from ('
        ' select v.id, v.part, v.element, v.chunk, -(v.vector <#> $4) as cosine,'
        '  row_number() over (partition by v.id order by v.vector <#> $4, v.part, v.element, v.chunk) as number'
        ' from vcontract.vectors_of($1, $2, $3) v where true' || vcontract.vector_said(spec, 'v') || ') n'
        ' where n.number <= $5 order by n.cosine desc, n.id desc fetch first ($6) rows with ties'
    using compared, kind, space, vector, most_of_one, most_nearest;
end
$$;
