-- Search by meaning, alone and together with words. As in search.sql, what runs with its owner's rights names the
-- tenant itself.

-- How similar a cosine means: piecewise linear through (0, 0), (a, 0.2), (b, 0.5), (c, 0.8), (1, 1) for the
-- calibration {a, b, c}; the cosine itself when there is none.
create or replace function vcontract.similarity_score(cosine double precision, calibration double precision[])
    returns double precision
    language sql immutable parallel safe
    return case
        when cosine <= 0 then 0
        when cosine >= 1 then 1
        when calibration is null then cosine
        when cosine < calibration[1] then 0.2 * cosine / calibration[1]
        when cosine < calibration[2]
            then 0.2 + 0.3 * (cosine - calibration[1]) / (calibration[2] - calibration[1])
        when cosine < calibration[3]
            then 0.5 + 0.3 * (cosine - calibration[2]) / (calibration[3] - calibration[2])
        else 0.8 + 0.2 * (cosine - calibration[3]) / (1 - calibration[3])
    end;

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
        'select e.id, -(e.vector::halfvec(%s) <#> $1) from vcontract.embedding e'
        ' where e.space = %s and e.tenant = %L and e.kind = %L%s'
        ' order by e.vector::halfvec(%s) <#> $1 limit %s',
        dimension, space, vcontract.current_tenant(), kind,
        case when conditions = vcontract.search_conditions('{}', kind) then '' else format(
            ' and (select true from vcontract.search_document d where d.id = e.id and %s)', conditions) end,
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
as $$
declare
    few constant integer := 3000;
    near constant integer := 1000;
    tenant constant text := vcontract.current_tenant();
    conditions constant text := vcontract.search_conditions(spec, kind);
    calibration constant double precision[] :=
        (select array_agg(c::double precision) from jsonb_array_elements_text(nullif(spec -> 'calibration', 'null')) c);
    threshold constant double precision := coalesce((spec ->> 'threshold')::double precision, 0);
    dimension integer;
    among uuid[];
    least_near double precision;
    found_ids uuid[];
    found_scores double precision[];
    found_cosines double precision[];
    statement text;
begin
    select s.dimension into dimension from vcontract.embedding_space s where s.id = space;
    if dimension is null then
        return;
    end if;
    statement :=
        'select array_agg(f.id order by f.score desc, f.id desc), array_agg(f.score order by f.score desc, f.id desc),'
        ' array_agg(f.cosine order by f.score desc, f.id desc) from ('
        ' select s.id, s.score, s.cosine from ('
        ' select g.id, g.cosine, vcontract.similarity_score(g.cosine, $3) as score from ('
        ' select e.id, max(-(e.vector <#> $1)) as cosine from vcontract.embedding e'
        ' where e.space = %s and e.tenant = %L and e.kind = %L and %s group by e.id) g) s'
        ' where s.score >= $4 and %s order by s.score desc, s.id desc limit %s) f';
    among := vcontract.few_matches(conditions, few);
    if among is null and 4 * (seen + most) <= near then
        select array_agg(distinct n.id), vcontract.similarity_score(min(n.cosine), calibration)
        from vcontract.nearest_passages(
            conditions, kind, space, dimension, vector, greatest(4 * (seen + most), 100)) n
        into among, least_near;
    end if;
    for attempt in 1 .. 2 loop
        execute format(statement, space, tenant, kind,
            case when among is not null then 'e.id = any($2)' else format(
                'e.id in (select d.id from vcontract.search_document d where %s)', conditions) end,
            case when spec ? 'after' then format('(s.score, s.id) < (%L, %L)',
                spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
            most)
        using vector, among, calibration, threshold
        into found_ids, found_scores, found_cosines;
        -- what the index yields is all there is when it went on to passages below the threshold
        exit when attempt = 2 or least_near is null or least_near < threshold or cardinality(found_ids) = most;
        among := null;
    end loop;
    return query select * from unnest(found_ids, found_scores, found_cosines);
end
$$;

-- SQL for how strongly a thing d holds the words of a specification, as in search_ranked, in [0, 1].
create or replace function vcontract.words_score(spec jsonb, kind text) returns text
    language sql stable
    return (
        select format('(%s) / %s', string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision, (
            -- most things have few of the words, and to see that is cheaper than to rank them
            select string_agg(format('case when d.words @@ %L::tsquery then %s else 0 end', a ->> 'words',
                vcontract.alternative_strength(a, vcontract.current_tenant(), kind)), ', ')
            from jsonb_array_elements(w -> 'alternatives') a
        )), ' + '), sum((w ->> 'weight')::double precision))
        from jsonb_array_elements(spec -> 'words') w
    );

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
        execute format('select array_agg(f.id) from (select d.id from vcontract.search_document d where %s and (%s)'
            ' order by d.occurred_at desc, d.id desc limit %s) f', conditions, (
                select string_agg(
                    '(' || vcontract.alternative_condition(a, vcontract.current_tenant(), kind) || ')', ' or ')
                from jsonb_array_elements(word -> 'alternatives') a
            ), most_of_word) into matched;
        found := found || matched;
        are_all := are_all and coalesce(cardinality(matched), 0) < most_of_word;
    end loop;
    ids := array(select distinct f from unnest(found) f);
end
$$;

-- The things that words and meaning speak for together, best first: weight * similarity + (1 - weight) * the score
-- of the words. Listed is what has a word or a similarity of at least 0.5; with weight 0 the former alone, with
-- weight 1 the latter. spec as for search_semantic, with "words" of which any may occur; "required" and "excluded"
-- bind both. Few things are all scored. Of many, those nearest by the index and the newest of each heavy word,
-- the more of them the more things earlier pages held (`seen`). When these do not fill the page although others may
-- follow, or fill it with things that are worse than others may be by meaning alone, all are scored after all.
create or replace function vcontract.search_hybrid(
    spec jsonb, kind text, space integer, vector halfvec, weight double precision, seen integer, most integer
) returns table (
    id uuid, score double precision, keyword_score double precision, semantic_score double precision,
    cosine double precision
)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    few constant integer := 3000;
    most_with_words constant integer := 4000;
    most_near constant integer := 1000;
    least_listed constant double precision := 0.5;
    tenant constant text := vcontract.current_tenant();
    conditions constant text := vcontract.search_conditions(spec, kind);
    calibration constant double precision[] :=
        (select array_agg(c::double precision) from jsonb_array_elements_text(nullif(spec -> 'calibration', 'null')) c);
    threshold constant double precision := (spec ->> 'threshold')::double precision;
    with_words integer := least(greatest(8 * (seen + most), 800), most_with_words);
    near integer := least(greatest(4 * (seen + most), 150), most_near);
    dimension integer;
    among uuid[];
    are_few boolean;
    nearest uuid[];
    -- what a thing that is not among them can have at most
    most_similar double precision := 0;
    most_of_words double precision := 0;
    are_all boolean;
    found_ids uuid[];
    found_scores double precision[];
    found_keywords double precision[];
    found_semantics double precision[];
    found_cosines double precision[];
begin
    select s.dimension into dimension from vcontract.embedding_space s where s.id = space;
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
                most_of_words := case when are_all then 0 else 1 end;
            end if;
            if weight > 0 then
                select array_agg(distinct n.id), coalesce(vcontract.similarity_score(min(n.cosine), calibration), 1)
                from vcontract.nearest_passages(conditions, kind, space, dimension, vector, near) n
                into nearest, most_similar;
            end if;
            among := array(select f from unnest(among) f union select f from unnest(nearest) f);
        end if;
        execute format(
            -- materialized, so that it is computed once, however few things the planner expects
            'with n as materialized ('
            ' select e.id, max(-(e.vector <#> $1)) as cosine from vcontract.embedding e'
            ' where e.space = %s and e.tenant = %L and e.kind = %L and e.id = any($2) group by e.id)'
            ' select array_agg(f.id order by f.score desc, f.id desc),'
            ' array_agg(f.score order by f.score desc, f.id desc),'
            ' array_agg(f.keyword order by f.score desc, f.id desc),'
            ' array_agg(f.semantic order by f.score desc, f.id desc),'
            ' array_agg(f.cosine order by f.score desc, f.id desc) from ('
            ' select x.id, x.score, x.keyword, x.semantic, x.cosine from ('
            ' select y.id, $4 * y.semantic + (1 - $4) * y.keyword as score, y.keyword, y.semantic, y.cosine from ('
            ' select d.id, %s as keyword, coalesce(vcontract.similarity_score(n.cosine, $3), 0) as semantic, n.cosine'
            ' from vcontract.search_document d left join n on n.id = d.id'
            ' where d.tenant = %L and d.kind = %L and d.id = any($2)'
            ' offset 0) y'
            ' where $4 < 1 and y.keyword > 0 or $4 > 0 and y.semantic >= %s) x'
            ' where %s and %s order by x.score desc, x.id desc limit %s) f',
            space, tenant, kind,
            coalesce(vcontract.words_score(spec, kind), '0::double precision'), tenant, kind,
            least_listed,
            case when threshold is null then 'true' else format('x.score >= %L', threshold) end,
            case when spec ? 'after' then format('(x.score, x.id) < (%L, %L)',
                spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
            most)
        using vector, among, calibration, weight
        into found_ids, found_scores, found_keywords, found_semantics, found_cosines;
        exit when are_few or (most_of_words = 0 and most_similar < least_listed)
            or weight * most_similar + (1 - weight) * most_of_words < threshold
            or cardinality(found_ids) = most and found_scores[most] >= weight * most_similar;
        -- next the most of both, then all
        if near < most_near or with_words < most_with_words then
            with_words := most_with_words;
            near := most_near;
        else
            among := vcontract.few_matches(conditions, 2147483646);
            are_few := true;
        end if;
    end loop;
    return query select * from unnest(found_ids, found_scores, found_keywords, found_semantics, found_cosines);
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
as $$
begin
    return query execute format(
        'select b.id, b.part, b.element, p.content, b.score, b.cosine from ('
        ' select s.*, row_number() over (partition by s.id, s.part order by s.cosine desc, s.element) as place from ('
        '  select c.*, vcontract.similarity_score(c.cosine, $3) as score from ('
        '   select distinct on (e.id, e.part, e.element)'
        '    e.id, e.part, e.element, e.chunk, -(e.vector <#> $1) as cosine from vcontract.embedding e'
        '   where e.space = %s and e.tenant = %L and e.kind = %L and e.id = any($2)'
        '   order by e.id, e.part, e.element, 5 desc, e.chunk) c) s'
        ' where s.score >= $4) b'
        ' join vcontract.passage p on p.tenant = %L and p.kind = %L and p.id = b.id and p.part = b.part'
        '  and p.element = b.element and p.chunk = b.chunk'
        ' where b.place <= %s order by b.cosine desc, b.part, b.element',
        space, vcontract.current_tenant(), kind, vcontract.current_tenant(), kind, most)
    using vector, ids, calibration, threshold;
end
$$;
