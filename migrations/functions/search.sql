-- Search by words and by filters. These functions run with their owner's rights, because row security
-- would keep PostgreSQL from the GIN indexes, so each names the tenant of the session in every condition.

-- The share of a frequency in a word's strength: 0.7 + 0.3 * f / (f + 2). ts_rank gives a single word
-- of f positions weight * H(f) * 6 / pi^2 with H(f) = 1/1^2 + 1/2^2 + ... + 1/f^2, and
-- pi^2 / 6 - H(f) is close to 1 / (f + 1/2): so f can be read back from the rank, exactly up to 255.
create or replace function vcontract.frequency_share(rank double precision) returns double precision
    language sql immutable parallel safe
    return 0.7 + 0.3 * (1 - 2 / (round(1 / (1.64493406684823 * (1 - rank)) - 0.5) + 2));

-- How strongly a word stands somewhere, from its ts_rank with the weights {1e-9, 1e-6, 1e-3, 1}: the label
-- tells the part (A counts 1, B 0.9, C 0.8, none 1), the number of positions the frequency.
create or replace function vcontract.word_strength(rank real) returns double precision
    language sql immutable parallel safe
    return case
        when rank <= 0 then 0
        when rank >= 5e-1 then vcontract.frequency_share(rank)
        when rank >= 5e-4 then 0.9 * vcontract.frequency_share(rank * 1e3)
        when rank >= 5e-7 then 0.8 * vcontract.frequency_share(rank * 1e6)
        else vcontract.frequency_share(rank * 1e9)
    end;

create or replace function vcontract.part_strength(part text) returns double precision
    language sql immutable parallel safe
    return case when part in ('attachment', 'trace_body') then 0.8
        when part in ('dialog', 'analysis', 'trace') then 0.9 else 1 end;

-- A pattern for LIKE that matches any text with `piece` in it, every character literal.
create or replace function vcontract.containing(piece text) returns text
    language sql immutable parallel safe
    return '%' || replace(replace(replace(piece, '\', '\\'), '%', '\%'), '_', '\_') || '%';

-- One alternative of a word: {"words": tsquery} when its lexemes alone decide, and also
-- {"sequence": tsquery} when they have to follow one another in one passage. {"factor": number} lowers
-- the strength of a corrected spelling. "offset 0" keeps the planner from joining all passages.
create or replace function vcontract.alternative_condition(alternative jsonb, tenant text, kind text) returns text
    language sql immutable
    return format('d.words @@ %L::tsquery', alternative ->> 'words')
        || case when alternative ? 'sequence' then format(
            ' and exists (select from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = d.id'
            ' and p.words @@ %L::tsquery offset 0)', tenant, kind, alternative ->> 'sequence')
        else '' end;

-- The factor of an alternative, as SQL: a number, whatever stands there.
create or replace function vcontract.factor_of(alternative jsonb) returns text
    language sql immutable
    return format('%L::double precision', coalesce((alternative ->> 'factor')::double precision, 1));

create or replace function vcontract.alternative_strength(alternative jsonb, tenant text, kind text) returns text
    language sql immutable
    return vcontract.factor_of(alternative) || ' * ' || case when alternative ? 'sequence' then format(
            'case when d.words @@ %L::tsquery then coalesce((select max(vcontract.part_strength(p.part))'
            ' * (0.7 + 0.3 * count(*) / (count(*) + 2.0)) from vcontract.passage p where p.tenant = %L'
            ' and p.kind = %L and p.id = d.id and p.words @@ %L::tsquery), 0) else 0 end',
            alternative ->> 'words', tenant, kind, alternative ->> 'sequence')
        -- "offset 0" has the rank computed once, however often the strength reads it
        else format('(select vcontract.word_strength(r.rank) from'
            ' (select ts_rank(''{1e-9,1e-6,1e-3,1}'', d.words, %L::tsquery) as rank offset 0) r)',
            alternative ->> 'words')
        end;

-- The conditions of a search on vcontract.search_document d, as SQL. Every text of the specification
-- goes in as a quoted literal.
--   required  [[alternative, ...], ...]   each inner list is one demand, met by any of its alternatives
--   excluded  [alternative, ...]
--   from, to  timestamps, half open
--   below, newest, oldest  {"at", "id"}: only older than this; only this and older; only this and newer
--   tags      [{"key", "value"}, ...]
--   features  [text, ...]   of vCons, all of them
--   subject, party_name, party_email, party_tel, party_role, dealer_id, dealer_name   folded by the caller
create or replace function vcontract.search_conditions(spec jsonb, kind text) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    conditions text := format('d.tenant = %L and d.kind = %L', tenant, kind);
    party text := '';
    demand jsonb;
    item jsonb;
begin
    for demand in select * from jsonb_array_elements(spec -> 'required') loop
        conditions := conditions || ' and (' || (
            select string_agg('(' || vcontract.alternative_condition(a, tenant, kind) || ')', ' or ')
            from jsonb_array_elements(demand) a
        ) || ')';
    end loop;
    for item in select * from jsonb_array_elements(spec -> 'excluded') loop
        conditions := conditions || ' and not (' || vcontract.alternative_condition(item, tenant, kind) || ')';
    end loop;
    if spec ? 'from' then
        conditions := conditions || format(' and d.occurred_at >= %L', spec ->> 'from');
    end if;
    if spec ? 'to' then
        conditions := conditions || format(' and d.occurred_at < %L', spec ->> 'to');
    end if;
    if spec ? 'below' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) < (%L, %L)', spec #>> '{below,at}', spec #>> '{below,id}');
    end if;
    if spec ? 'newest' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) <= (%L, %L)', spec #>> '{newest,at}', spec #>> '{newest,id}');
    end if;
    if spec ? 'oldest' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) >= (%L, %L)', spec #>> '{oldest,at}', spec #>> '{oldest,id}');
    end if;
    for item in select * from jsonb_array_elements(spec -> 'tags') loop
        -- What a short value begins with is the value; to say both would count its rarity twice.
        conditions := conditions || format(
            ' and exists (select from vcontract.tag t where t.tenant = %L and t.vcon = d.id and t.key = %L'
            ' and left(t.value, 256) = left(%L, 256)%s)',
            tenant, item ->> 'key', item ->> 'value',
            case when length(item ->> 'value') > 255 then format(' and t.value = %L', item ->> 'value') end);
    end loop;
    if spec ? 'subject' then
        conditions := conditions || format(
            ' and exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id'
            ' and v.subject_folded like %L)', tenant, vcontract.containing(spec ->> 'subject'));
    end if;
    if spec ? 'party_name' then
        party := party || format(' and p.name_folded like %L', vcontract.containing(spec ->> 'party_name'));
    end if;
    if spec ? 'party_email' then
        party := party || format(' and p.email_folded like %L', vcontract.containing(spec ->> 'party_email'));
    end if;
    if spec ? 'party_tel' then
        party := party || format(' and p.tel_digits like %L', vcontract.containing(spec ->> 'party_tel'));
    end if;
    if spec ? 'party_role' then
        party := party || format(' and lower(p.doc ->> ''role'') = %L', spec ->> 'party_role');
    end if;
    for item in select * from jsonb_array_elements(spec -> 'features') loop
        conditions := conditions || format(
            ' and exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id'
            ' and %L = any(v.features))', tenant, item #>> '{}');
    end loop;
    if party <> '' then
        conditions := conditions || format(
            ' and exists (select from vcontract.party p where p.tenant = %L and p.vcon = d.id%s)', tenant, party);
    end if;
    if spec ? 'dealer_id' then
        conditions := conditions || format(
            ' and exists (select from vcontract.dealer r where r.tenant = %L and r.vcon = d.id and r.id = %L)',
            tenant, spec ->> 'dealer_id');
    end if;
    if spec ? 'dealer_name' then
        conditions := conditions || format(
            ' and exists (select from vcontract.dealer r where r.tenant = %L and r.vcon = d.id'
            ' and r.name_folded like %L)', tenant, vcontract.containing(spec ->> 'dealer_name'));
    end if;
    return conditions;
end
$$;

-- The newest things that meet a specification, newest first.
create or replace function vcontract.search_newest(spec jsonb, kind text, most integer)
    returns table (id uuid, occurred_at timestamptz)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    return query execute format(
        'select d.id, d.occurred_at from vcontract.search_document d where %s'
        ' order by d.occurred_at desc, d.id desc limit %s',
        vcontract.search_conditions(spec, kind), most);
end
$$;

-- How many things meet a specification, counted to at_most.
create or replace function vcontract.search_count(spec jsonb, kind text, at_most integer) returns bigint
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    result bigint;
begin
    execute format('select count(*) from (select from vcontract.search_document d where %s limit %s) found',
        vcontract.search_conditions(spec, kind), at_most) into result;
    return result;
end
$$;

-- The newest `band` matches of a specification, best first, at most `most` of them. The score of a match
-- is the sum over the words it has of weight * strength, divided by the sum of all weights; spec holds
-- "words": [{"weight", "alternatives"}, ...] beside its conditions, and "after": {"score", "id"} to
-- continue a page. matched, newest_* and oldest_* describe the band: a later page of it passes them back
-- as spec.newest and spec.oldest, so that what is added meanwhile moves nothing.
create or replace function vcontract.search_ranked(spec jsonb, kind text, band integer, most integer)
    returns table (
        id uuid, occurred_at timestamptz, score double precision, matched bigint,
        newest_at timestamptz, newest_id uuid, oldest_at timestamptz, oldest_id uuid
    )
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
    total double precision;
    strength text;
begin
    select sum((w ->> 'weight')::double precision),
        string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision, (
            select string_agg(vcontract.alternative_strength(a, tenant, kind), ', ')
            from jsonb_array_elements(w -> 'alternatives') a
        )), ' + ')
    from jsonb_array_elements(spec -> 'words') w
    into total, strength;
    return query execute format(
        -- The band keeps only places: the words of a row are too large to be sorted with it.
        'with band as materialized ('
        ' select d.ctid as place from vcontract.search_document d where %s'
        ' order by d.occurred_at desc, d.id desc limit %s),'
        ' scored as materialized (select d.id, d.occurred_at, (%s) / %s as score'
        ' from band b join vcontract.search_document d on d.ctid = b.place)'
        ' select s.id, s.occurred_at, s.score, m.matched, n.occurred_at, n.id, o.occurred_at, o.id'
        ' from scored s,'
        ' (select count(*) as matched from scored) m,'
        ' (select x.occurred_at, x.id from scored x order by x.occurred_at desc, x.id desc limit 1) n,'
        ' (select x.occurred_at, x.id from scored x order by x.occurred_at, x.id limit 1) o'
        ' where %s order by s.score desc, s.id desc limit %s',
        vcontract.search_conditions(spec, kind),
        -- A known band has its bounds; what is added between them must not push its oldest match out.
        case when spec ? 'oldest' then 10 * band else band end,
        strength, total,
        case when spec ? 'after' then format('(s.score, s.id) < (%L, %L)',
            spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
        most);
end
$$;

-- The places of the given things where words stand, one an element, at most `most` a thing, best first;
-- words as in search_ranked. The score is that of the place alone, with the same divisor.
create or replace function vcontract.search_places(ids uuid[], spec jsonb, kind text, most integer)
    returns table (id uuid, part text, element integer, content text, score double precision)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
    tenant constant text := vcontract.current_tenant();
    total double precision;
    strength text;
    anywhere text;
begin
    select sum((w ->> 'weight')::double precision),
        string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision, (
            select string_agg(vcontract.factor_of(a) || ' * ' || case when a ? 'sequence'
                then format('case when p.words @@ %L::tsquery then 0.8 else 0 end', a ->> 'sequence')
                else format('(select vcontract.word_strength(r.rank) from'
                    ' (select ts_rank(''{1,1,1,1}'', p.words, %L::tsquery) as rank offset 0) r)', a ->> 'words')
            end, ', ') from jsonb_array_elements(w -> 'alternatives') a
        )), ' + '),
        string_agg((
            select string_agg('(' || coalesce(a ->> 'sequence', a ->> 'words') || ')', ' | ')
            from jsonb_array_elements(w -> 'alternatives') a
        ), ' | ')
    from jsonb_array_elements(spec -> 'words') w
    into total, strength, anywhere;
    return query execute format(
        'select i.id, b.part, b.element, b.content, b.score from unnest($1) i (id) cross join lateral ('
        ' select * from (select distinct on (p.part, p.element) p.part, p.element, p.content,'
        ' vcontract.part_strength(p.part) * (%s) / %s as score'
        ' from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = i.id and p.words @@ %L::tsquery'
        ' order by p.part, p.element, score desc, p.chunk) e'
        ' order by e.score desc, e.part, e.element limit %s) b',
        strength, total, tenant, kind, anywhere, most) using ids;
end
$$;

-- Known spellings near a word, nearest first.
create or replace function vcontract.near_spellings(misspelled text, nearness real, most integer)
    returns table (word text, similarity real)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
begin
    perform set_config('pg_trgm.similarity_threshold', nearness::text, true);
    return query execute format(
        'select s.word, similarity(s.word, $1) from vcontract.spelling s where s.tenant = %L and s.word %% $1'
        ' order by 2 desc, 1 limit %s', tenant, most) using misspelled;
end
$$;
