-- Recall: the one search of exchanges, reflections, bridge records and dialogs, and the one definition of its scores.
--
-- A thing is a row of vcontract.search_document. Its passages and vectors are found by its kind:
--   exchange   in the vCon of its transcript (kind vcon), as vcontract.transcript_exchange says: part dialog from
--              dialog_from until before dialog_to, parts trace and trace_body at element `number`
--   dialog     element `element` of part dialog of the vCon `id`; such a thing has no row of its own
--   any other  under its own kind and id
--
-- A query is {"text", "terms": [{"weight", "words"?, "literal"?, "holders"?}, ...], "least", "calibration"}:
--   text         the whole query, which counts when it occurs literally
--   words        a tsquery: the stem of the term, or all word parts of a literal; absent when it has none
--   literal      must occur character for character, case aside
--   holders      the things that were found to hold a literal by scanning; recall_candidates puts them in
--   least        the coverage that a candidate by words must have where there are too many to score them all
--   calibration  of vcontract.similarity_score
--
-- Scores, each in [0, 1] and of the query and the thing alone, never of other hits or of a limit:
--   similarity   s: similarity_score of the largest cosine of its vectors; 0 without any
--   coverage     c: the weight of the terms that occur in any of its passages, as a share of all weight
--   text_score   t: 0.7 c + 0.2 (the whole query occurs literally in a passage) + 0.1 rank / (1 + rank)
--   score        hi + 0.5 lo (1 - hi) of s and t; that is t without a vector, and s without terms
--
-- A toolset makes its own security definer wrapper of recall_candidates, which turns its filters into conditions.

create or replace function vcontract.both_score(similarity double precision, text_score double precision) returns double precision
    language sql immutable parallel safe
    return greatest(similarity, text_score) + 0.5 * least(similarity, text_score) * (1 - greatest(similarity, text_score));

create or replace function vcontract.contains_literally(content text, literal text) returns boolean
    language sql immutable parallel safe
    return strpos(lower(content), lower(literal)) > 0;

-- SQL of a subquery: the rows of a relation (passage or embedding) that belong to a thing d, and meet a condition on p.
create or replace function vcontract.recall_rows(relation text, kind text, condition text) returns text
    language sql stable
    return case kind
        when 'exchange' then format(
            '(select p.* from vcontract.transcript_exchange x cross join lateral ('
            '  select p.* from vcontract.%1$I p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = x.vcon'
            '   and p.part = ''dialog'' and p.element >= x.dialog_from and p.element < x.dialog_to and %3$s'
            '  union all select p.* from vcontract.%1$I p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = x.vcon'
            '   and p.part in (''trace'', ''trace_body'') and p.element = x.number and %3$s) p'
            '  where x.tenant = %2$L and x.id = d.id)',
            relation, vcontract.current_tenant(), condition)
        when 'dialog' then format(
            '(select p.* from vcontract.%I p where p.tenant = %L and p.kind = ''vcon'' and p.id = d.id'
            ' and p.part = ''dialog'' and p.element = d.element and %s)',
            relation, vcontract.current_tenant(), condition)
        else format(
            '(select p.* from vcontract.%I p where p.tenant = %L and p.kind = %L and p.id = d.id and %s)',
            relation, vcontract.current_tenant(), kind, condition)
        end;

create or replace function vcontract.recall_among(ids jsonb) returns text
    language sql immutable
    return format('d.id = any(%L::uuid[])',
        (select coalesce(array_agg(i), '{}') from jsonb_array_elements_text(ids) i));

-- SQL for whether a term occurs in a thing d. The words of a literal are looked at first: most things have none.
create or replace function vcontract.recall_occurs(term jsonb, kind text) returns text
    language sql stable
    return case
        when term ? 'holders' then vcontract.recall_among(term -> 'holders')
        when term ? 'literal' then format('case when %s then exists (select from %s q) else false end',
            case when term ? 'words' then format('d.words @@ %L::tsquery', term ->> 'words') else 'true' end,
            vcontract.recall_rows('passage', kind,
                format('vcontract.contains_literally(p.content, %L)', term ->> 'literal')))
        else format('d.words @@ %L::tsquery', term ->> 'words')
        end;

-- SQL for the coverage of a query in a thing d.
create or replace function vcontract.recall_coverage(query jsonb, kind text) returns text
    language sql stable
    return (
        select case when count(*) = 0 then '0::double precision' else format('(%s) / %s::float8',
            string_agg(format('%s::float8 * (%s)::integer', (t ->> 'weight')::double precision,
                vcontract.recall_occurs(t, kind)), ' + '),
            sum((t ->> 'weight')::double precision)) end
        from jsonb_array_elements(query -> 'terms') t
    );

-- SQL for how often the words of a query stand in a tsvector `words`, in [0, 1).
create or replace function vcontract.recall_rank(query jsonb, words text) returns text
    language sql immutable
    return (
        select case when count(*) = 0 then '0' else format('ts_rank(%s, %L::tsquery, 32)', words,
            string_agg('(' || replace(t ->> 'words', ' & ', ' | ') || ')', ' | ')) end
        from jsonb_array_elements(query -> 'terms') t where t ? 'words'
    );

-- SQL that every thing d meets that covers at least query.least: it has one of the heaviest terms, those that remain
-- when as many light ones are left out as cannot make up that coverage together. An index finds it.
create or replace function vcontract.recall_heavy(query jsonb) returns text
    language sql immutable
    return (
        select coalesce(string_agg(case
            when w.term ? 'holders' then vcontract.recall_among(w.term -> 'holders')
            else format('d.words @@ %L::tsquery', w.term ->> 'words')
        end, ' or '), 'false')
        from (
            select t.term, sum(t.weight) over (order by t.weight, t.place rows unbounded preceding) as through,
                sum(t.weight) over () as total
            from (
                select e.term, e.place, (e.term ->> 'weight')::double precision as weight
                from jsonb_array_elements(query -> 'terms') with ordinality e (term, place)
            ) t
        ) w
        where w.through >= (query ->> 'least')::double precision * w.total and (w.term ? 'holders' or w.term ? 'words')
    );

-- The things that meet conditions and hold a literal, newest first: by reading, until `until`.
create or replace function vcontract.recall_scan(kind text, conditions text, literal text, most integer, until timestamptz)
    returns uuid[]
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    step constant integer := 100;
    holding constant text := vcontract.recall_rows(
        'passage', kind, format('vcontract.contains_literally(p.content, %L)', literal));
    place text := 'true';
    read_at timestamptz;
    read_id uuid;
    seen integer;
    holders uuid[];
    found uuid[] := '{}';
begin
    loop
        execute format(
            'with d as materialized (select d.id, d.occurred_at from vcontract.search_document d where %s and %s'
            '  order by d.occurred_at desc, d.id desc limit %s)'
            ' select count(*), (array_agg(d.id order by d.occurred_at, d.id))[1],'
            '  (array_agg(d.occurred_at order by d.occurred_at, d.id))[1],'
            '  array_agg(d.id) filter (where exists (select from %s q)) from d',
            conditions, place, step, holding) into seen, read_id, read_at, holders;
        found := found || holders;
        exit when seen < step or cardinality(found) >= most or clock_timestamp() >= until;
        place := format('(d.occurred_at, d.id) < (%L, %L)', read_at, read_id);
    end loop;
    return found;
end
$$;

-- The things whose passages are nearest to a vector and that meet conditions, by the index, and the least cosine
-- among them; null for the latter when the walk ended before it found any. See vcontract.nearest_passages.
create or replace function vcontract.recall_nearest(
    kind text, conditions text, space integer, vector halfvec, most integer, out ids uuid[], out least_cosine double precision
)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
    set max_parallel_workers_per_gather = 0
    set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
    set hnsw.iterative_scan = relaxed_order set hnsw.max_scan_tuples = 40000 set hnsw.ef_search = 600
as $$
declare
    tenant constant text := vcontract.current_tenant();
    dimension constant integer := (select s.dimension from vcontract.embedding_space s where s.id = space);
    thing constant text := case kind
        when 'exchange' then format(
            '(select d.id from vcontract.transcript_exchange x join vcontract.search_document d'
            '  on d.tenant = %1$L and d.kind = ''exchange'' and d.id = x.id where x.tenant = %1$L and x.vcon = e.id'
            '  and (e.part = ''dialog'' and e.element >= x.dialog_from and e.element < x.dialog_to'
            '   or e.part = ''trace'' and e.element = x.number) and %2$s limit 1)', tenant, conditions)
        else format('(select d.id from vcontract.search_document d where d.id = e.id and %s)', conditions)
        end;
begin
    execute format(
        'select array_agg(distinct f.id), min(f.cosine) from (select %1$s as id, e.cosine from ('
        ' select e.id, e.part, e.element, -(e.vector::halfvec(%2$s) <#> $1) as cosine from vcontract.embedding e'
        ' where e.space = %3$s and e.tenant = %4$L and e.kind = %5$L and %1$s is not null'
        ' order by e.vector::halfvec(%2$s) <#> $1 limit %6$s) e) f',
        thing, dimension, space, tenant, case kind when 'exchange' then 'vcon' else kind end, most)
    using vector into ids, least_cosine;
end
$$;

-- The things of a kind that a query may find among those that meet conditions (SQL on d): all of them when they are
-- few, else the newest with enough of its words and those nearest to its vector. resolved is the query as
-- recall_scores takes it, with "relaxed" when a literal was found by scanning only. is_cut: there may be more.
-- For the functions of toolsets alone: the conditions are trusted.
create or replace function vcontract.recall_candidates(kind text, conditions text, query jsonb, space integer, vector halfvec)
    returns table (resolved jsonb, ids uuid[], is_cut boolean)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    few constant integer := 3000;
    most_worded constant integer := 2000;
    most_near constant integer := 600;
    until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
    inside constant text := format(
        'd.tenant = %L and d.kind = %L and (%s)', vcontract.current_tenant(), kind, conditions);
    admitted constant uuid[] := vcontract.few_matches(inside, few);
    among constant text := case when admitted is null then inside
        else format('d.tenant = %L and d.kind = %L and d.id = any($1)', vcontract.current_tenant(), kind) end;
    term jsonb;
    terms jsonb := '[]';
    holders uuid[];
    known boolean;
    worded uuid[];
    near_ids uuid[];
    least_cosine double precision;
begin
    is_cut := false;
    resolved := query;
    for term in select t from jsonb_array_elements(query -> 'terms') t loop
        if term ? 'literal' then
            known := false;
            if term ? 'words' then
                execute format('select exists (select from vcontract.search_document d where %s and %s)',
                    among, vcontract.recall_occurs(term, kind)) using admitted into known;
            end if;
            if not known then
                holders := vcontract.recall_scan(kind, inside, term ->> 'literal', most_worded, until);
                term := term || jsonb_build_object('holders', to_jsonb(holders));
                if holders <> '{}' then
                    resolved := resolved || '{"relaxed": true}';
                end if;
            end if;
        end if;
        terms := terms || jsonb_build_array(term);
    end loop;
    resolved := jsonb_set(resolved, '{terms}', terms);
    ids := admitted;
    if ids is null then
        execute format('select array_agg(f.id) from (select d.id from vcontract.search_document d'
            ' where %s and (%s) and %s >= %s order by d.occurred_at desc, d.id desc limit %s) f',
            inside, vcontract.recall_heavy(resolved), vcontract.recall_coverage(resolved, kind),
            (query ->> 'least')::double precision, most_worded + 1) into worded;
        is_cut := coalesce(cardinality(worded) > most_worded, false);
        if vector is not null then
            select n.ids, n.least_cosine from vcontract.recall_nearest(kind, inside, space, vector, most_near) n
            into near_ids, least_cosine;
            is_cut := is_cut or coalesce(vcontract.similarity_score(least_cosine,
                (select s.calibration from vcontract.embedding_space s where s.id = space)) >= 0.5, true);
        end if;
        ids := case when near_ids is null then coalesce(worded, '{}')
            else array(select unnest(worded) union select unnest(near_ids)) end;
    end if;
    return next;
end
$$;

-- The scores of things, of those that have any. query: as recall_candidates resolved it.
create or replace function vcontract.recall_scores(kind text, ids uuid[], query jsonb, space integer, vector halfvec)
    returns table (
        id uuid, occurred_at timestamptz, similarity double precision, coverage double precision,
        text_score double precision, score double precision
    )
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    -- "materialized" has each of them computed once, however often the next reads it
    return query execute format(
        'with parts as materialized (select d.id, d.occurred_at, %4$s as similarity, %3$s as coverage, %6$s as rank'
        '  from vcontract.search_document d where d.tenant = %1$L and d.kind = %2$L and d.id = any($1)),'
        ' scored as materialized (select d.id, d.occurred_at, d.similarity, d.coverage,'
        '  case when d.coverage = 0 then 0 else 0.7 * d.coverage'
        '   + case when d.coverage > 0.999 and exists (select from %5$s q) then 0.2 else 0 end'
        '   + 0.1 * d.rank end as text_score from parts d where d.coverage > 0 or d.similarity > 0)'
        ' select s.*, vcontract.both_score(s.similarity, s.text_score) from scored s',
        vcontract.current_tenant(), kind, vcontract.recall_coverage(query, kind),
        case when vector is null then '0::double precision' else format(
            'coalesce((select vcontract.similarity_score(max(-(q.vector <#> $2)), $3) from %s q), 0)',
            vcontract.recall_rows('embedding', kind, format('p.space = %s', space))) end,
        vcontract.recall_rows(
            'passage', kind, format('vcontract.contains_literally(p.content, %L)', query ->> 'text')),
        vcontract.recall_rank(query, 'd.words'))
    using ids, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$$;

-- The scores of the dialogs of vCons, each of its own passages alone; of those that have any, the best 5,000.
create or replace function vcontract.recall_dialogs(ids uuid[], query jsonb, space integer, vector halfvec)
    returns table (
        id uuid, element integer, occurred_at timestamptz, similarity double precision, coverage double precision,
        text_score double precision, score double precision
    )
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    most constant integer := 5000;
    tenant constant text := vcontract.current_tenant();
    weight constant double precision :=
        (select sum((t ->> 'weight')::double precision) from jsonb_array_elements(query -> 'terms') t);
    occurring text;
    anywhere text;
begin
    select string_agg(format('%s::float8 * max((%s)::integer)', (t ->> 'weight')::double precision, o.occurs), ' + '),
        string_agg(o.occurs, ' or ')
    from jsonb_array_elements(query -> 'terms') t, vcontract.recall_occurs_in_passage(t) o (occurs)
    into occurring, anywhere;
    return query execute format(
        'with close as materialized (select e.id, e.element, vcontract.similarity_score(max(-(e.vector <#> $2)), $3) as s'
        '  from vcontract.embedding e where $2 is not null and e.space = %1$s and e.tenant = %2$L and e.kind = ''vcon'''
        '  and e.id = any($1) and e.part = ''dialog'' group by e.id, e.element),'
        ' worded as materialized (select p.id, p.element, (%3$s) / %4$s as c, max(%5$s) as rank,'
        '  bool_or(vcontract.contains_literally(p.content, %6$L)) as whole'
        '  from vcontract.passage p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = any($1) and p.part = ''dialog'''
        '  and (%7$s) group by p.id, p.element),'
        ' scored as (select coalesce(n.id, w.id) as id, coalesce(n.element, w.element) as element, coalesce(n.s, 0) as s,'
        '  coalesce(w.c, 0) as c, coalesce(0.7 * w.c + case when w.whole and w.c > 0.999 then 0.2 else 0 end + 0.1 * w.rank, 0) as t'
        '  from close n full join worded w on w.id = n.id and w.element = n.element)'
        ' select b.id, b.element, coalesce((select p.occurred_at from vcontract.passage p where p.tenant = %2$L'
        '   and p.kind = ''vcon'' and p.id = b.id and p.part = ''dialog'' and p.element = b.element limit 1), d.occurred_at),'
        '  b.s, b.c, b.t, b.score from (select c.*, vcontract.both_score(c.s, c.t) as score from scored c'
        '   where c.s > 0 or c.c > 0 order by score desc, c.id, c.element limit %8$s) b'
        ' join vcontract.search_document d on d.tenant = %2$L and d.kind = ''vcon'' and d.id = b.id',
        coalesce(space, 0), tenant, coalesce(occurring, '0::double precision'), coalesce(weight, 1),
        vcontract.recall_rank(query, 'p.words'), query ->> 'text', coalesce(anywhere, 'false'), most)
    using ids, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$$;

-- SQL for whether a term occurs in a passage p.
create or replace function vcontract.recall_occurs_in_passage(term jsonb) returns text
    language sql immutable
    return concat_ws(' and ',
        case when term ? 'words' and not term ? 'holders' then format('p.words @@ %L::tsquery', term ->> 'words') end,
        case when term ? 'literal' then format('vcontract.contains_literally(p.content, %L)', term ->> 'literal') end);

-- The passage of each thing that shows best why it was found: one that holds the query's words before one that is
-- near, for a vector also holds what surrounds its passage; of these the one with the most of both scores. Of a dialog,
-- elements has its index beside the id of its vCon.
create or replace function vcontract.recall_passages(
    kind text, ids uuid[], elements integer[], query jsonb, space integer, vector halfvec
) returns table (
    id uuid, element_of integer, part text, element integer, chunk integer, content text,
    coverage double precision, similarity double precision
)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
    covered constant text := (
        select case when count(*) = 0 then '0::double precision' else format('(%s) / %s::float8',
            string_agg(format('%s::float8 * (%s)::integer', (t ->> 'weight')::double precision,
                vcontract.recall_occurs_in_passage(t)), ' + '),
            sum((t ->> 'weight')::double precision)) end
        from jsonb_array_elements(query -> 'terms') t
    );
begin
    return query execute format(
        'select distinct on (d.id, d.element) d.id, d.element, b.part, b.element, b.chunk, b.content, b.c, b.s'
        ' from unnest($1, $2) d (id, element) cross join lateral ('
        '  select p.part, p.element, p.chunk, p.content, %1$s as c, coalesce(('
        '   select vcontract.similarity_score(-(e.vector <#> $3), $4) from vcontract.embedding e'
        '   where e.space = %2$s and e.tenant = p.tenant and e.kind = p.kind and e.id = p.id and e.part = p.part'
        '   and e.element = p.element and e.chunk = p.chunk), 0) as s'
        '  from %3$s p offset 0) b'
        ' order by d.id, d.element, b.c >= 0.5 desc, vcontract.both_score(b.s, 0.7 * b.c) desc,'
        ' b.part, b.element, b.chunk',
        covered, coalesce(space, 0), vcontract.recall_rows('passage', kind, 'true'))
    using ids, elements, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$$;

-- How many things of some kinds have all words of each tsquery, counted to at_most; of '' how many there are in all.
create or replace function vcontract.recall_counts(kinds text[], words text[], at_most integer) returns bigint[]
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
    word text;
    number bigint;
    counts bigint[] := '{}';
begin
    foreach word in array words loop
        execute format('select count(*) from (select from vcontract.search_document d where d.tenant = %L'
            ' and d.kind = any($1)%s) f', tenant, case when word <> '' then
                format(' and d.words @@ %L::tsquery limit %s', word, at_most) else '' end) using kinds into number;
        counts := counts || number;
    end loop;
    return counts;
end
$$;
