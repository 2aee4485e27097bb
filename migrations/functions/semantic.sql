-- Search by meaning, alone and together with words. As in search.sql, what runs with its owner's rights names the
-- tenant itself.

-- How far the cosines of a tenant's texts with a vector lie apart: their standard deviation among some two hundred
-- vectors, of things of all times; null where there are too few to tell. Planned once for a session: planning takes longer
-- than reading, and the way to the things and to their vectors is always the same.
create or replace function vcontract.spread_of_cosines(space integer, vector halfvec) returns double precision
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
    return (with span as (
        select k.kind, first.at as since, last.at as until
        from unnest(array['vcon', 'reflection'] || vcontract.stored_kinds('bridge')) k (kind),
        lateral (select d.occurred_at as at from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = k.kind order by d.occurred_at, d.id limit 1) first,
        lateral (select d.occurred_at as at from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = k.kind
            order by d.occurred_at desc, d.id desc limit 1) last
    ), thing as materialized (
        select distinct s.kind, n.id from span s, generate_series(0, 39) moment,
        lateral (select d.id from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = s.kind
                and d.occurred_at <= s.until - moment / 40.0 * (s.until - s.since)
            order by d.occurred_at desc, d.id desc limit 1) n
    ), sampled as (
        select -(e.vector <#> spread_of_cosines.vector) as cosine from thing t,
        lateral (select v.vector from vcontract.embedding v
            where v.tenant = vcontract.current_tenant() and v.kind = t.kind and v.id = t.id
                and v.space = spread_of_cosines.space
            order by v.part, v.element, v.chunk limit 200 / (select count(*) from thing)) e
    )
    select stddev_pop(s.cosine) from sampled s having count(*) >= 30);
end
$$;

-- How many things are compared one by one rather than looked for by the index. Walking the index costs the more, the
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

-- The passages nearest to a vector whose things meet conditions, by the index: nearly all of the nearest, and
-- fewer than asked for when the conditions let little pass. Sorting is switched off because it is the only
-- other way to the nearest, and the planner thinks too well of it. The conditions are a subquery with a value,
-- so that they are tested on what the index yields and never become a join.
create or replace function vcontract.nearest_passages(
    conditions text, kind text, space integer, dimension integer, vector halfvec, most integer
) returns table (id uuid, cosine double precision)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
    set max_parallel_workers_per_gather = 0
    set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off
    set hnsw.iterative_scan = relaxed_order set hnsw.max_scan_tuples = 40000 set hnsw.ef_search = 100
as $$
begin
    -- going on from a short list of candidates takes much longer than beginning with a long one
    perform set_config('hnsw.ef_search', least(greatest(most, 100), 1000)::text, true);
    return query execute format(
        'select %s, -(e.vector::halfvec(%s) <#> $1) from vcontract.embedding e'
        ' where e.space = %s and e.tenant = %L and %s%s'
        ' order by e.vector::halfvec(%s) <#> $1 limit %s',
        case kind when 'exchange' then vcontract.thing_of_vector(kind, conditions) else 'e.id' end,
        dimension, space, vcontract.current_tenant(),
        vcontract.is_of_kind('e.kind', case kind when 'exchange' then 'vcon' else kind end),
        case when kind <> 'exchange' and vcontract.current_purposes() is null
            and conditions = vcontract.search_conditions('{}', kind) then '' else format(
            ' and %s is not null', vcontract.thing_of_vector(kind, conditions)) end,
        dimension, most) using vector;
end
$$;

-- The things most similar to a vector that meet a specification, best first; a thing is as similar as its best
-- passage. spec holds conditions, and "threshold", "calibration", and "after": {"score", "id"} to continue a page.
-- Few things are all compared. Of many, those with passages near the vector by the index; `seen` is how many
-- things earlier pages held. When that does not yield enough, all are compared after all: no filter and no
-- depth of page makes the answer shorter than it is.
create or replace function vcontract.search_semantic(
    spec jsonb, kind text, space integer, vector halfvec, seen integer, most integer
) returns table (id uuid, score double precision, cosine double precision)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
    set plan_cache_mode = force_generic_plan
as $$
declare
    near constant integer := greatest(4 * (seen + most), 100);
    most_near constant integer := 1000;
    conditions constant text := vcontract.search_conditions(spec, kind);
    calibration constant double precision[] :=
        (select array_agg(c::double precision) from jsonb_array_elements_text(nullif(spec -> 'calibration', 'null')) c);
    threshold constant double precision := coalesce((spec ->> 'threshold')::double precision, 0);
    dimension constant integer := (select s.dimension from vcontract.embedding_space s where s.id = space);
    among uuid[] := vcontract.few_matches(conditions, vcontract.most_compared());
    least_near double precision;
    found_ids uuid[];
    found_scores double precision[];
    found_cosines double precision[];
begin
    if dimension is null then
        return;
    end if;
    if among is null and near <= most_near then
        select array_agg(n.id), vcontract.similarity_score(min(n.least), calibration) into among, least_near from (
            select n.id, min(min(n.cosine)) over () as least
            from vcontract.nearest_passages(conditions, kind, space, dimension, vector, near) n
            group by n.id order by max(n.cosine) desc limit 2 * (seen + most)) n;
    end if;
    loop
        among := coalesce(among, vcontract.few_matches(conditions, 2147483646));
        select array_agg(f.id order by f.score desc, f.id desc), array_agg(f.score order by f.score desc, f.id desc),
            array_agg(f.cosine order by f.score desc, f.id desc)
        into found_ids, found_scores, found_cosines
        from (
            select s.id, s.score, s.cosine from (
                select c.id, c.cosine, vcontract.similarity_score(c.cosine, calibration) as score
                from vcontract.thing_cosines(among, kind, space, vector) c
            ) s
            where s.score >= threshold and (not spec ? 'after'
                or (s.score, s.id) < ((spec #>> '{after,score}')::double precision, (spec #>> '{after,id}')::uuid))
            order by s.score desc, s.id desc limit most
        ) f;
        -- what the index yields is all there is when it went on to passages below the threshold
        exit when least_near is null or least_near < threshold or cardinality(found_ids) = most;
        among := null;
        least_near := null;
    end loop;
    return query select * from unnest(found_ids, found_scores, found_cosines);
end
$$;

-- The newest things that have one of the heaviest words of a specification, some of each word; and whether these
-- are all that have a word.
create or replace function vcontract.word_matches(
    spec jsonb, conditions text, kind text, most integer, out ids uuid[], out are_all boolean
)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    heaviest constant integer := 8;
    words constant integer := coalesce(jsonb_array_length(spec -> 'words'), 0);
    most_of_word constant integer := most / greatest(least(heaviest, words), 1);
    word jsonb;
    matched uuid[];
    found uuid[] := '{}';
begin
    are_all := words <= heaviest;
    for word in select w from jsonb_array_elements(spec -> 'words') w
        order by (w ->> 'weight')::double precision desc limit heaviest
    loop
        execute format('select array_agg(f.id) from (select d.id from vcontract.search_document d where %s%s'
            ' order by d.occurred_at desc, d.id desc limit %s) f', conditions, vcontract.demand_conditions(
                jsonb_build_array(word -> 'alternatives'), vcontract.current_tenant(), kind), most_of_word) into matched;
        found := found || matched;
        are_all := are_all and coalesce(cardinality(matched), 0) < most_of_word;
    end loop;
    ids := array(select distinct f from unnest(found) f);
end
$$;

-- What words and meaning say of things as wholes. With weight 0 of those that have a word, with weight 1 of those that
-- have a vector, else of those that have either.
create or replace function vcontract.whole_scores(
    ids uuid[], query jsonb, kind text, space integer, vector halfvec, weight double precision
) returns table (
    id uuid, score double precision, strength double precision, coverage double precision, cosine double precision
)
    language sql stable
as $$
    select i.id, vcontract.both_scores(coalesce(s.strength, 0), coalesce(greatest(c.cosine, 0), 0), weight),
        coalesce(s.strength, 0), coalesce(s.coverage, 0), c.cosine
    from unnest(ids) i (id)
    left join vcontract.thing_strengths(ids, query, kind) s using (id)
    left join vcontract.thing_cosines(ids, kind, space, vector) c using (id)
    where weight < 1 and s.strength > 0 or weight > 0 and c.id is not null
$$;

-- The things that words and meaning speak for together, as wholes: those whose places are worth scoring, best first. With
-- weight 0 what has a word, with weight 1 what has a vector, else what has either. spec as for search_semantic, with
-- "words" of which any may occur; "required" and "excluded" bind both. Few things are all scored. Of many, those nearest
-- by the index, and those of the newest of each heavy word that hold the words best, the more of them the more things
-- earlier pages held (`seen`). When these do not fill the page although others may follow, or fill it with things that
-- are worse than others may be by meaning alone, all are scored after all.
create or replace function vcontract.search_hybrid(
    spec jsonb, kind text, space integer, vector halfvec, weight double precision, seen integer, most integer
) returns table (id uuid, score double precision)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
    set plan_cache_mode = force_generic_plan
as $$
declare
    few constant integer := vcontract.most_compared();
    most_with_words constant integer := 4000;
    most_near constant integer := 1000;
    conditions constant text := vcontract.search_conditions(spec, kind);
    with_words integer := least(greatest(4 * (seen + most), 400), most_with_words);
    best_with_words integer := greatest(2 * (seen + most), 100);
    near integer := least(greatest(4 * (seen + most), 150), most_near);
    dimension constant integer := (select s.dimension from vcontract.embedding_space s where s.id = space);
    among uuid[];
    are_few boolean;
    nearest uuid[];
    strengths double precision[];
    -- what a thing that is not among them can have at most
    most_similar double precision := 0;
    are_all boolean := true;
    found_ids uuid[];
    found_scores double precision[];
begin
    if dimension is null then
        return;
    end if;
    among := vcontract.few_matches(conditions, few);
    are_few := among is not null;
    loop
        if not are_few then
            among := null;
            if weight < 1 then
                select m.ids, m.are_all into among, are_all
                from vcontract.word_matches(spec, conditions, kind, with_words) m;
            end if;
            if weight > 0 then
                select array_agg(distinct n.id), coalesce(min(n.cosine), 1)
                from vcontract.nearest_passages(conditions, kind, space, dimension, vector, near) n
                into nearest, most_similar;
            end if;
            among := array(select f from unnest(among) f union select f from unnest(nearest) f);
        end if;
        select array_agg(i.id), array_agg(s.strength) into among, strengths from unnest(among) i (id)
        left join vcontract.thing_strengths(among, case when weight < 1 then spec -> 'words' else '[]' end, kind) s using (id);
        if weight > 0 and not are_few then
            select array_agg(w.id), array_agg(w.strength) into among, strengths from (
                select w.id, w.strength, row_number() over (order by w.strength desc nulls last) as place
                from unnest(among, strengths) w (id, strength)
            ) w where w.place <= best_with_words or w.id = any(nearest);
        end if;
        select array_agg(f.id order by f.score desc, f.id desc), array_agg(f.score order by f.score desc, f.id desc)
        into found_ids, found_scores
        from (
            select x.id, x.score from (
                select i.id, vcontract.both_scores(coalesce(i.strength, 0), coalesce(greatest(c.cosine, 0), 0), weight) as score
                from unnest(among, strengths) i (id, strength)
                left join vcontract.thing_cosines(case when weight > 0 then among end, kind, space, vector) c using (id)
                where i.strength > 0 or c.id is not null
            ) x
            where not spec ? 'after'
                or (x.score, x.id) < ((spec #>> '{after,score}')::double precision, (spec #>> '{after,id}')::uuid)
            order by x.score desc, x.id desc limit most
        ) f;
        exit when are_few or weight = 0 and are_all
            or cardinality(found_ids) = most and found_scores[most] >= vcontract.both_scores(0, most_similar, weight);
        -- next the most of both, then all
        if near < most_near or with_words < most_with_words then
            with_words := most_with_words;
            best_with_words := most_with_words;
            near := most_near;
        else
            among := vcontract.few_matches(conditions, 2147483646);
            are_few := true;
        end if;
    end loop;
    return query select * from unnest(found_ids, found_scores);
end
$$;

-- The same for what is listed as a whole and not page by page: the things that words or meaning speak for, best first,
-- with what each says, `most` of them and some more. Few are all of them; of many those nearest by the index and the
-- newest of each heavy word, the more of both the more are wanted, and is_cut tells that there may be others. similarity
-- is that of the best passage.
create or replace function vcontract.search_things(
    spec jsonb, kind text, space integer, vector halfvec, calibration double precision[], weight double precision, most integer
) returns table (
    id uuid, occurred_at timestamptz, score double precision, strength double precision, coverage double precision,
    similarity double precision, is_cut boolean
)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
#variable_conflict use_column
declare
    -- where thousands are wanted, so many are counted as well as found, so that totals are exact
    few constant integer := least(greatest(most, vcontract.most_compared()), 3000);
    with_words constant integer := least(4 * most, 2000);
    near constant integer := least(3 * most / 2, 600);
    chance constant double precision := 0.5;
    conditions constant text := vcontract.search_conditions(spec, kind);
    dimension constant integer := (select s.dimension from vcontract.embedding_space s where s.id = space);
    among uuid[] := vcontract.few_matches(conditions, few);
    nearest uuid[];
    least_near double precision;
    are_all boolean := true;
begin
    if among is null then
        if weight < 1 then
            select m.ids, m.are_all into among, are_all from vcontract.word_matches(spec, conditions, kind, with_words) m;
        end if;
        if weight > 0 and dimension is not null then
            select array_agg(distinct n.id), min(n.cosine)
            from vcontract.nearest_passages(conditions, kind, space, dimension, vector, near) n
            into nearest, least_near;
            -- what is no nearer than chance is no match that is missed
            are_all := are_all and coalesce(vcontract.similarity_score(least_near, calibration) < chance, false);
        end if;
        among := array(select f from unnest(among) f union select f from unnest(nearest) f);
    end if;
    return query
        select d.id, d.occurred_at, s.score, s.strength, s.coverage,
            coalesce(vcontract.similarity_score(s.cosine, calibration), 0), not are_all
        from vcontract.whole_scores(among, spec -> 'words', search_things.kind, space, vector, weight) s
        join vcontract.search_document d on d.tenant = vcontract.current_tenant()
            and d.kind = any(vcontract.stored_kinds(search_things.kind)) and d.id = s.id
        order by s.score desc, d.occurred_at desc, d.id;
end
$$;

-- The things of a kind that hold a text character for character, by reading them, newest first, until `until`.
create or replace function vcontract.search_by_reading(spec jsonb, kind text, literal text, most integer, seconds double precision)
    returns uuid[]
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    step constant integer := 100;
    until constant timestamptz := clock_timestamp() + seconds * interval '1 second';
    conditions constant text := vcontract.search_conditions(spec, kind);
    place text := 'true';
    read_ids uuid[];
    read_at timestamptz;
    found uuid[] := '{}';
begin
    loop
        execute format('select array_agg(f.id order by f.occurred_at desc, f.id desc), min(f.occurred_at) from'
            ' (select d.id, d.occurred_at from vcontract.search_document d where %s and %s'
            '  order by d.occurred_at desc, d.id desc limit %s) f', conditions, place, step) into read_ids, read_at;
        exit when read_ids is null;
        found := found || array(select distinct p.id from vcontract.passages_of(read_ids, kind) p
            where vcontract.contains_literally(p.content, literal));
        exit when cardinality(read_ids) < step or cardinality(found) >= most or clock_timestamp() >= until;
        place := format('(d.occurred_at, d.id) < (%L, %L)', read_at, read_ids[step]);
    end loop;
    return found;
end
$$;

-- The passages of the given things that are most similar to a vector, at most `most` of each part, one of an
-- element, best first.
create or replace function vcontract.similar_passages(
    ids uuid[], kind text, space integer, vector halfvec, calibration double precision[],
    threshold double precision, most integer
) returns table (
    id uuid, part text, element integer, content text, score double precision, cosine double precision
)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
    set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
#variable_conflict use_column
begin
    return query
    select b.id, b.part, b.element, p.content, b.score, b.cosine from (
        select s.*, row_number() over (partition by s.id, s.part order by s.cosine desc, s.element) as place from (
            select c.*, vcontract.similarity_score(c.cosine, calibration) as score from (
                select distinct on (c.id, c.part, c.element) c.*
                from vcontract.passage_cosines(ids, kind, space, vector) c
                order by c.id, c.part, c.element, c.cosine desc, c.chunk) c) s
        where s.score >= threshold) b
    join vcontract.passage p on p.tenant = vcontract.current_tenant() and p.kind = similar_passages.kind and p.id = b.id
        and p.part = b.part and p.element = b.element and p.chunk = b.chunk
    where b.place <= most order by b.cosine desc, b.part, b.element;
end
$$;
