-- Scores: how well things, and the places in them, match the words and the vector of a query. The formula stands here
-- once. A query's words are a JSON array: [{"weight", "alternatives": [{"words", "sequence", "factor"}], "day"}, ...];
-- an alternative matches by its "words" (tsquery), or where "sequence" (tsquery) holds in one passage, or where
-- "literal" occurs in one character for character; that of a literal without words in "holders", which were found by
-- reading. "factor" lowers that of a corrected spelling, and "day" says which days the word names.

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

-- The alternatives of a query's words, a row each; words are counted from 1.
create or replace function vcontract.query_alternatives(query jsonb)
    returns table (
        word bigint, factor double precision, words tsquery, sequence tsquery, literal text, holders uuid[]
    )
    language sql immutable
as $$
    select w.word, coalesce((a ->> 'factor')::double precision, 1), (a ->> 'words')::tsquery,
        (a ->> 'sequence')::tsquery, a ->> 'literal',
        case when a ? 'holders' then array(select jsonb_array_elements_text(a -> 'holders'))::uuid[] end
    from jsonb_array_elements(query) with ordinality w (document, word), jsonb_array_elements(w.document -> 'alternatives') a
$$;

-- The weight of each word of a query as a share of all of them.
create or replace function vcontract.query_weights(query jsonb) returns table (word bigint, share double precision)
    language sql immutable
as $$
    select w.word, (w.document ->> 'weight')::double precision / sum((w.document ->> 'weight')::double precision) over ()
    from jsonb_array_elements(query) with ordinality w (document, word)
$$;

-- Whether an alternative stands in a text with these words.
create or replace function vcontract.stands(demanded tsquery, literal text, words tsvector, content text) returns boolean
    language sql immutable parallel safe
    return case when demanded is null then true else words @@ demanded end
        and (literal is null or vcontract.contains_literally(content, literal));

-- Whether a moment is of a day that a word names: {"weekday": 1 to 7, Monday first}, {"month"}, {"day"} or {"year"}.
create or replace function vcontract.is_day(at timestamptz, day jsonb) returns boolean
    language sql stable parallel safe
    return coalesce(extract(isodow from at at time zone 'UTC') = (day ->> 'weekday')::integer, false)
        or coalesce(extract(month from at at time zone 'UTC') = (day ->> 'month')::integer, false)
        or coalesce(extract(day from at at time zone 'UTC') = (day ->> 'day')::integer, false)
        or coalesce(extract(year from at at time zone 'UTC') = (day ->> 'year')::integer, false);

-- The words of a query that name the day of some things: 0.85 of a word that stands there.
create or replace function vcontract.day_strengths(ids uuid[], query jsonb, kind text)
    returns table (id uuid, word bigint, strength double precision)
    language sql stable
as $$
    select d.id, w.word, 0.85::double precision
    from jsonb_array_elements(query) with ordinality w (document, word)
    join vcontract.search_document d on vcontract.is_day(d.occurred_at, w.document -> 'day')
    where w.document ? 'day' and d.tenant = vcontract.current_tenant()
        and d.kind = any(vcontract.stored_kinds(day_strengths.kind)) and d.id = any(ids)
$$;

-- How strongly things as wholes hold the words of a query, in [0, 1]: the sum of share * strength, a word of the
-- thing's day among them; and which share of the words, by weight, they hold. Things without any are left out. As all
-- that is asked for by ids, this is planned once for a session: whatever the ids and the words, the primary key is the
-- way to them.
create or replace function vcontract.thing_strengths(ids uuid[], query jsonb, kind text)
    returns table (id uuid, strength double precision, coverage double precision)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
    set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
#variable_conflict use_column
begin
    return query
    with alternative as materialized (
        select * from vcontract.query_alternatives(query)
    ), ranked as (
        select d.id, a.word, a.factor, a.rank from vcontract.search_document d
        cross join lateral (
            select a.word, a.factor, ts_rank('{1e-9,1e-6,1e-3,1}', d.words, a.words) as rank from alternative a
            where a.sequence is null and a.literal is null and d.words @@ a.words
            offset 0 -- has each thing read once, whatever the number of alternatives
        ) a
        where d.tenant = vcontract.current_tenant()
            and d.kind = any(vcontract.stored_kinds(thing_strengths.kind)) and d.id = any(ids)
        offset 0 -- has each rank computed once, however often the strength reads it
    ), held as (
        select r.id, r.word, true as stands, r.factor * vcontract.word_strength(r.rank) as strength from ranked r
        union all
        select p.id, a.word, true,
            a.factor * max(vcontract.part_strength(p.part)) * (0.7 + 0.3 * count(*) / (count(*) + 2.0))
        from vcontract.search_document d
        join alternative a on (a.sequence is not null or a.literal is not null)
            and coalesce(d.words @@ a.words, d.id = any(a.holders))
        cross join lateral vcontract.passages_of(array[d.id], thing_strengths.kind) p
        where d.tenant = vcontract.current_tenant()
            and d.kind = any(vcontract.stored_kinds(thing_strengths.kind)) and d.id = any(ids)
            and vcontract.stands(coalesce(a.sequence, a.words), a.literal, p.words, p.content)
        group by p.id, a.word, a.factor, a.sequence, a.literal
        union all
        select y.id, y.word, false, y.strength from vcontract.day_strengths(ids, query, kind) y
    ), best as (
        select h.id, h.word, bool_or(h.stands) as stands, max(h.strength) as strength
        from held h where h.strength > 0 group by h.id, h.word
    )
    select b.id, sum(w.share * b.strength), coalesce(sum(w.share) filter (where b.stands), 0)
    from best b join vcontract.query_weights(query) w using (word) group by b.id;
end
$$;

-- The party whose turn a dialog is: its originator, else the first that takes part; null when that tells nobody.
create or replace function vcontract.speaker_of(dialog json) returns integer
    language sql immutable
    return (
        select case when s.speaker ~ '^\d{1,9}$' then s.speaker::integer end
        from (select coalesce(dialog ->> 'originator', case json_typeof(dialog -> 'parties')
            when 'array' then dialog -> 'parties' ->> 0 else dialog ->> 'parties' end) as speaker offset 0) s
    );

-- Where one of two runs of words follows the other, the first of them `most` words or fewer away.
create or replace function vcontract.followed_within(most integer, one tsquery, other tsquery) returns tsquery
    language sql immutable parallel safe
    return (select string_agg('(' || tsquery_phrase(one, other, n)::text || ')', ' | ')::tsquery from generate_series(1, most) n);

-- The words that stand side by side in a query: where they follow one another in that order, and where they are close.
create or replace function vcontract.query_pairs(query jsonb)
    returns table (word bigint, next bigint, factor double precision, following tsquery, close tsquery)
    language sql immutable
as $$
    with sought as materialized (
        select a.word, max(a.factor) as factor,
            string_agg('(' || coalesce(a.sequence, a.words)::text || ')', ' | ')::tsquery as words
        from vcontract.query_alternatives(query) a where a.literal is null group by a.word
    )
    select o.word, n.word, least(o.factor, n.factor), vcontract.followed_within(3, o.words, n.words),
        vcontract.followed_within(6, o.words, n.words) || vcontract.followed_within(6, n.words, o.words)
    from sought o join sought n on n.word = o.word + 1
$$;

-- Where words of a query stand, or are felt: the passages of things with the strength of each word there and what it
-- comes from, a sum of 1 for own, 2 for beside, 4 for speaker, 8 for day, 16 for together. Own in the passage itself;
-- together where the word beside it in the query stands after it, or near it; beside half of own of the passage before
-- or after and 0.4 of the next but one, among the turns of one conversation or the pieces of one other part; speaker
-- where a party has the word who speaks a text dialog.
create or replace function vcontract.passage_strengths(ids uuid[], query jsonb, kind text)
    returns table (
        id uuid, part text, element integer, chunk integer, word bigint, sources integer, strength double precision
    )
    language sql stable
as $$
    with alternative as materialized (
        select a.word, a.factor, coalesce(a.sequence, a.words) as words, a.literal,
            a.sequence is not null or a.literal is not null as is_phrase
        from vcontract.query_alternatives(query) a
    ), passage as materialized (
        select p.id, p.part, p.element, p.chunk, row_number() over (order by p.id, p.part, p.element, p.chunk) as place,
            -- only those with a word are read again, and all where one is a literal without words
            case when (select bool_or(a.words is null) from alternative a)
                or p.words @@ (select string_agg('(' || a.words::text || ')', ' | ')::tsquery from alternative a)
                then p.words end as words,
            case when (select bool_or(a.literal is not null) from alternative a) then p.content end as content
        from vcontract.passages_of(ids, passage_strengths.kind) p
    ), ranked as (
        select s.id, s.part, s.element, s.place, a.word, a.factor, a.is_phrase,
            ts_rank('{1,1,1,1}', s.words, a.words) as rank
        from passage s join alternative a on vcontract.stands(a.words, a.literal, s.words, s.content)
        where s.words is not null offset 0 -- has each rank computed once, however often the strength reads it
    ), own as materialized (
        select r.id, r.part, r.element, r.place, r.word, max(r.factor) as factor,
            max(r.factor * case when r.is_phrase then 0.8 else vcontract.word_strength(r.rank) end) as strength
        from ranked r group by r.place, r.word, r.id, r.part, r.element
    ), paired as (
        select s.place, p.word, p.next, p.factor * case when s.words @@ p.following then 1 else 0.9 end as strength
        from vcontract.query_pairs(query) p join own o on o.word = p.word
        join passage s on s.place = o.place and s.words @@ p.close
    ), named as materialized (
        select o.id, o.element as party, o.word, max(o.factor) as strength from own o
        where kind = 'vcon' and o.part = 'party' group by o.id, o.element, o.word
    ), spoken as materialized (
        select d.vcon as id, d.index as element, vcontract.speaker_of(d.doc) as party from vcontract.dialog d
        where d.tenant = vcontract.current_tenant() and d.vcon = any(array(select n.id from named n)) and d.type = 'text'
    ), felt as materialized (
        select o.place + n.away as place, o.id, o.part, o.element as series, o.word, n.source, n.share * o.strength as strength
        from own o, (values (0, 1, 1.0), (-1, 2, 0.5), (1, 2, 0.5), (-2, 2, 0.4), (2, 2, 0.4)) n (away, source, share)
    ), told as (
        select p.place, w.word, 16 as source, p.strength from paired p, lateral (values (p.word), (p.next)) w (word)
        union all
        select s.place, f.word, f.source, f.strength from felt f join passage s
            on s.place = f.place and s.id = f.id and s.part = f.part and (s.part = 'dialog' or s.element = f.series)
        union all
        select s.place, n.word, 4, n.strength from named n join spoken d using (id, party) join passage s
            on s.id = d.id and s.part = 'dialog' and s.element = d.element
        union all
        select s.place, d.word, 8, d.strength from vcontract.day_strengths(ids, query, kind) d join passage s using (id)
        where s.part <> 'party'
    ), strongest as (
        select t.place, t.word, bit_or(t.source) as sources, max(t.strength) as strength
        from told t group by t.place, t.word
    )
    select s.id, s.part, s.element, s.chunk, t.word, t.sources, t.strength from strongest t join passage s using (place)
$$;

-- The cosines of the passages of things with a vector.
create or replace function vcontract.passage_cosines(ids uuid[], kind text, space integer, vector halfvec)
    returns table (id uuid, part text, element integer, chunk integer, cosine double precision)
    language sql stable
as $$
    select e.id, e.part, e.element, e.chunk, -(e.vector <#> passage_cosines.vector)
    from vcontract.vectors_of(ids, passage_cosines.kind, passage_cosines.space) e
$$;

-- The mean of the two best of cosines, those below 0 counting as 0.
create or replace function vcontract.mean_of_best(cosines double precision[]) returns double precision
    language sql immutable parallel safe
    return (select avg(greatest(b.cosine, 0)) from (
        select c.cosine from unnest(cosines) c (cosine) order by c.cosine desc limit 2) b);

-- The best cosine of each thing.
create or replace function vcontract.thing_cosines(ids uuid[], kind text, space integer, vector halfvec)
    returns table (id uuid, cosine double precision)
    language sql stable
as $$
    select c.id, max(c.cosine) from vcontract.passage_cosines(ids, kind, space, vector) c group by c.id
$$;

-- What words say of a place, in [0, 1]: how strongly they are felt there, and stand in its thing.
create or replace function vcontract.keyword_score(strength double precision, thing_strength double precision)
    returns double precision
    language sql immutable parallel safe
    return (strength + 0.3 * thing_strength) / 1.3;

-- What meaning says of a place, in [0, 1]: its own cosine, and the mean of the best of its thing.
create or replace function vcontract.meaning_score(cosine double precision, thing_cosine double precision)
    returns double precision
    language sql immutable parallel safe
    return 0.6 * least(greatest(cosine, 0), 1) + 0.4 * least(thing_cosine, 1);

-- Both together, in [0, 1]; weight is the share of meaning, and with 0 words alone count. The third power lets a place
-- that has most of the words outdo any similarity, and one that has few by chance no better one.
create or replace function vcontract.both_scores(keyword double precision, meaning double precision, weight double precision)
    returns double precision
    language sql immutable parallel safe
    return case when weight = 0 then keyword
        else (1 - weight) * keyword * keyword * keyword + weight * meaning end;

-- Every place of things that words or meaning speak for: a dialog, an analysis, the subject, each by its best passage.
-- Sources are a sum as those of passage_strengths; vector null leaves meaning out of account.
create or replace function vcontract.place_scores(
    ids uuid[], query jsonb, kind text, space integer, vector halfvec, weight double precision
) returns table (
    id uuid, part text, element integer, chunk integer, score double precision, keyword_score double precision,
    meaning_score double precision, strength double precision, cosine double precision, sources integer
)
    language sql stable
as $$
    with worded as materialized (
        select s.id, s.part, s.element, s.chunk, sum(w.share * s.strength) as strength, bit_or(s.sources) as sources
        from vcontract.passage_strengths(ids, query, kind) s join vcontract.query_weights(query) w using (word)
        group by s.id, s.part, s.element, s.chunk
    ), near as materialized (
        select * from vcontract.passage_cosines(ids, kind, space, vector) where vector is not null
    ), whole as materialized (
        select i.id, coalesce(t.strength, 0) as strength, coalesce(c.cosine, 0) as cosine
        from unnest(ids) i (id) left join vcontract.thing_strengths(ids, query, kind) t using (id)
        left join (select n.id, vcontract.mean_of_best(array_agg(n.cosine)) as cosine from near n group by n.id) c using (id)
    ), told as (
        select p.id, p.part, p.element, p.chunk, coalesce(p.strength, 0) as strength, p.cosine,
            coalesce(p.sources, 0) as sources,
            vcontract.keyword_score(coalesce(p.strength, 0), w.strength) as keyword,
            vcontract.meaning_score(coalesce(p.cosine, 0), w.cosine) as meaning
        from (select * from worded full join near using (id, part, element, chunk)) p join whole w using (id)
    ), scored as (
        select t.*, vcontract.both_scores(t.keyword, t.meaning, weight) as score from told t
    )
    select distinct on (s.id, s.part, s.element) s.id, s.part, s.element, s.chunk, s.score, s.keyword, s.meaning,
        s.strength, s.cosine, s.sources
    from scored s order by s.id, s.part, s.element, s.score desc, s.chunk
$$;
