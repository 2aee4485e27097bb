-- Search by meaning: a vector for nearly every passage, in the space of a model.

create extension if not exists vector with schema public;

-- Whether passages of a part get vectors: not those of parties, nor what an agent's tools were given and gave back.
create function vcontract.is_embedded(part text) returns boolean
    language sql immutable parallel safe
    return part not in ('party', 'trace_body');

-- A model with its settings. Vectors of different spaces are never compared. One space is active and
-- searched; a new one is built beside it and takes its place when it is complete. Belongs to no tenant.
create table vcontract.embedding_space (
    id integer primary key,
    model text not null,
    dimension integer not null check (dimension between 1 and 4000),
    state text not null check (state in ('building', 'active', 'retired')),
    -- The provider and its settings, without secrets: a query is embedded in the same way.
    recipe json not null,
    -- The cosines that mean a similarity of 0.2, 0.5 and 0.8; null when they are not known.
    calibration double precision[] check (cardinality(calibration) = 3),
    -- Whether everything that was stored before the space has become its task.
    filled boolean not null,
    changed_at timestamptz not null default now()
);
create unique index embedding_space_active on vcontract.embedding_space (state) where state = 'active';
create unique index embedding_space_model on vcontract.embedding_space (model) where state <> 'retired';

-- Unit vectors, each space in a partition with an index of its own, so that it is dropped in a moment.
-- Dimensions differ between spaces, so the column has none; the indexes have it.
create table vcontract.embedding (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    space integer not null,
    vector halfvec not null,
    -- A digest of the texts behind it: its speaker and its neighbours may change later. Null where they cannot.
    made_of bigint,
    primary key (tenant, kind, id, part, element, chunk, space)
) partition by list (space);

-- What waits to be embedded: the passages of one thing. A task disappears in the transaction that stores its
-- vectors, and comes back whenever the thing changes; passages counts those that have no vector. due_at is when it
-- may be taken: later than now while a worker has it, and after failures. claim tells whose it is.
create table vcontract.embedding_task (
    tenant text not null,
    kind text not null,
    id uuid not null,
    space integer not null,
    passages integer not null,
    due_at timestamptz not null,
    claim uuid,
    attempts integer not null default 0,
    primary key (tenant, kind, id, space)
);
create index embedding_task_due on vcontract.embedding_task (space, due_at);

select vcontract.bind_to_tenant('embedding', 'embedding_task');
grant select on vcontract.embedding_space to vcontract_server;

-- The spaces belong to the deployment and the tasks of all tenants to one worker, so these functions run with
-- their owner's rights. They give out names of tenants and ids, never anything that a tenant stored.

-- The table and the index of a space.
create function vcontract.make_embedding_partition(space integer, dimension integer) returns void
    language plpgsql set search_path = pg_catalog, public set lock_timeout = '10s'
as $$
begin
    execute format('create table vcontract.embedding_%s partition of vcontract.embedding for values in (%s)',
        space, space);
    execute format('create index embedding_%s_near on vcontract.embedding_%s'
        ' using hnsw ((vector::halfvec(%s)) halfvec_ip_ops) with (m = 16, ef_construction = 64)',
        space, space, dimension);
end
$$;

-- The id of a model's space, which is begun when there is none; what else was being built is given up.
create function vcontract.open_embedding_space(
    of_model text, of_dimension integer, of_recipe json, of_calibration double precision[]
) returns integer
    language plpgsql security definer set search_path = pg_catalog, public
as $$
declare
    number integer;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.id into number from vcontract.embedding_space s where s.model = of_model and s.state <> 'retired';
    if found then
        update vcontract.embedding_space s set recipe = of_recipe, calibration = of_calibration
        where s.id = number
            and (s.recipe::text, s.calibration) is distinct from (of_recipe::text, of_calibration);
        return number;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'building';
    select coalesce(max(s.id), 0) + 1 into number from vcontract.embedding_space s;
    perform vcontract.make_embedding_partition(number, of_dimension);
    insert into vcontract.embedding_space (id, model, dimension, state, recipe, calibration, filled)
    values (number, of_model, of_dimension, 'building', of_recipe, of_calibration, false);
    return number;
end
$$;

-- Wait for every transaction that stores passages now; then each later one knows the spaces there are.
create function vcontract.await_passage_writers() returns void
    language plpgsql security definer set search_path = pg_catalog, public
as $$
begin
    lock table vcontract.search_document in share mode;
end
$$;

-- Make tasks of everything stored that has no vectors in a space.
create function vcontract.fill_embedding_space(of_space integer) returns void
    language plpgsql security definer set search_path = pg_catalog, public set statement_timeout = 0
as $$
begin
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select p.tenant, p.kind, p.id, of_space, count(*), now()
    from vcontract.passage p
    where vcontract.is_embedded(p.part) and not exists (
        select from vcontract.embedding e
        where e.space = of_space and e.tenant = p.tenant and e.kind = p.kind and e.id = p.id
            and e.part = p.part and e.element = p.element and e.chunk = p.chunk
    )
    group by p.tenant, p.kind, p.id
    on conflict (tenant, kind, id, space) do nothing;
    update vcontract.embedding_space s set filled = true where s.id = of_space;
end
$$;

-- Put a space in the place of the active one when it is complete, but for tasks that have failed three times,
-- or when the active one holds nothing. Whether it is active now.
create function vcontract.activate_embedding_space(of_space integer) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public
as $$
declare
    complete boolean;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.state = 'active' into complete from vcontract.embedding_space s where s.id = of_space;
    if complete is distinct from false then
        return coalesce(complete, false);
    end if;
    select s.filled and not exists (
        select from vcontract.embedding_task t where t.space = of_space and t.attempts < 3
    ) or not exists (
        select from vcontract.embedding e
        where e.space = (select a.id from vcontract.embedding_space a where a.state = 'active')
    ) into complete
    from vcontract.embedding_space s where s.id = of_space and s.state = 'building';
    if not coalesce(complete, false) then
        return false;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'active';
    update vcontract.embedding_space s set state = 'active', changed_at = now() where s.id = of_space;
    return true;
end
$$;

-- Remove spaces that nothing has searched for a while; how many.
create function vcontract.drop_retired_embedding_spaces(retired_for interval) returns integer
    language plpgsql security definer set search_path = pg_catalog, public set lock_timeout = '10s'
as $$
declare
    number integer;
    dropped integer := 0;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    for number in
        select s.id from vcontract.embedding_space s
        where s.state = 'retired' and s.changed_at <= now() - retired_for
    loop
        execute format('drop table vcontract.embedding_%s', number);
        delete from vcontract.embedding_task t where t.space = number;
        delete from vcontract.embedding_space s where s.id = number;
        dropped := dropped + 1;
    end loop;
    return dropped;
end
$$;

-- Take the tasks of one tenant that are due longest, about most_passages passages together, for as long as
-- embedding them should take. Others pass over them until then.
create function vcontract.claim_embedding_tasks(
    of_space integer, of_tenant text, by_claim uuid, most_passages integer, most_tasks integer
) returns table (tenant text, kind text, id uuid)
    language plpgsql security definer set search_path = pg_catalog, public
as $$
#variable_conflict use_column
declare
    chosen text := of_tenant;
begin
    if chosen is null then
        select t.tenant into chosen from vcontract.embedding_task t
        where t.space = of_space and t.due_at <= now() order by t.due_at limit 1;
    end if;
    return query
    with due as materialized (
        select t.kind, t.id, t.passages, t.due_at from vcontract.embedding_task t
        where t.space = of_space and t.tenant = chosen and t.due_at <= now()
        order by t.due_at limit most_tasks
        for update skip locked
    ), taken as (
        select d.kind, d.id, sum(d.passages) over (order by d.due_at, d.kind, d.id) - d.passages as before
        from due d
    )
    update vcontract.embedding_task t
    set claim = by_claim, due_at = clock_timestamp() + make_interval(secs => 60 + t.passages)
    from taken x
    where t.space = of_space and t.tenant = chosen and t.kind = x.kind and t.id = x.id and x.before < most_passages
    returning t.tenant, t.kind, t.id;
end
$$;

-- How similar a cosine means: piecewise linear through (0, 0), (a, 0.2), (b, 0.5), (c, 0.8), (1, 1) for the
-- calibration {a, b, c}; the cosine itself when there is none.
create function vcontract.similarity_score(cosine double precision, calibration double precision[])
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

-- The searches below run with their owner's rights for the reason of 0002: they name the tenant themselves.

-- The things that meet conditions (SQL of search_conditions); null when there are more than at_most.
create function vcontract.few_matches(conditions text, at_most integer) returns uuid[]
    language plpgsql stable set search_path = pg_catalog, public set max_parallel_workers_per_gather = 0
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
create function vcontract.nearest_passages(
    conditions text, kind text, space integer, dimension integer, vector halfvec, most integer
) returns table (id uuid, cosine double precision)
    language plpgsql stable set search_path = pg_catalog, public
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
create function vcontract.search_semantic(
    spec jsonb, kind text, space integer, vector halfvec, seen integer, most integer
) returns table (id uuid, score double precision, cosine double precision)
    language plpgsql stable security definer set search_path = pg_catalog, public set max_parallel_workers_per_gather = 0
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
create function vcontract.words_score(spec jsonb, kind text) returns text
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
create function vcontract.word_matches(
    spec jsonb, conditions text, kind text, most integer, out ids uuid[], out are_all boolean
)
    language plpgsql stable set search_path = pg_catalog, public set max_parallel_workers_per_gather = 0
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
create function vcontract.search_hybrid(
    spec jsonb, kind text, space integer, vector halfvec, weight double precision, seen integer, most integer
) returns table (
    id uuid, score double precision, keyword_score double precision, semantic_score double precision,
    cosine double precision
)
    language plpgsql stable security definer set search_path = pg_catalog, public set max_parallel_workers_per_gather = 0
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
create function vcontract.similar_passages(
    ids uuid[], kind text, space integer, vector halfvec, calibration double precision[],
    threshold double precision, most integer
) returns table (
    id uuid, part text, element integer, content text, score double precision, cosine double precision
)
    language plpgsql stable set search_path = pg_catalog, public
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

-- The space of the model that comes with the program.
select vcontract.make_embedding_partition(1, 384);
insert into vcontract.embedding_space (id, model, dimension, state, recipe, calibration, filled)
values (
    1, 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256', 384, 'active', '{"provider":"minilm"}',
    '{0.071,0.344,0.413}', true
);
select vcontract.fill_embedding_space(1);

select vcontract.restrict_functions();
-- These make SQL of what they are given, or change the schema: for the functions above, which know what they pass.
revoke execute on function vcontract.make_embedding_partition(integer, integer),
    vcontract.few_matches(text, integer),
    vcontract.nearest_passages(text, text, integer, integer, halfvec, integer),
    vcontract.word_matches(jsonb, text, text, integer)
    from vcontract_server;
