-- Scores: how well things, and the places in them, match the words and the vector of a query. The formula stands here
-- once. A query's words are a JSON array: [{"weight", "alternatives": [{"words", "sequence", "factor"}], "day"}, ...];
-- an alternative matches by its "words" (tsquery), or where "sequence" (tsquery) holds in one passage; "factor" lowers
-- that of a corrected spelling, and "day" says which days the word names.

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
    returns table (word bigint, factor double precision, words tsquery, sequence tsquery)
    language sql immutable
as $$
    select w.word, coalesce((a ->> 'factor')::double precision, 1), (a ->> 'words')::tsquery,
        (a ->> 'sequence')::tsquery
    from jsonb_array_elements(query) with ordinality w (document, word), jsonb_array_elements(w.document -> 'alternatives') a
$$;

-- The weight of each word of a query as a share of all of them.
create or replace function vcontract.query_weights(query jsonb) returns table (word bigint, share double precision)
    language sql immutable
as $$
    select w.word, (w.document ->> 'weight')::double precision / sum((w.document ->> 'weight')::double precision) over ()
    from jsonb_array_elements(query) with ordinality w (document, word)
$$;

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
    where w.document ? 'day' and d.tenant = vcontract.current_tenant() and d.kind = day_strengths.kind
        and d.id = any(ids)
$$;

-- How strongly things as wholes hold the words of a query, in [0, 1]: the sum of share * strength, a word of the
-- thing's day among them. Things without any of the words are left out.
create or replace function vcontract.thing_strengths(ids uuid[], query jsonb, kind text)
    returns table (id uuid, strength double precision)
    language sql stable
as $$
    with held as (
        select d.id, a.word, a.factor * case
            when a.sequence is null then (
                -- "offset 0" has the rank computed once, however often the strength reads it
                select vcontract.word_strength(r.rank)
                from (select ts_rank('{1e-9,1e-6,1e-3,1}', d.words, a.words) as rank offset 0) r)
            else (
                select max(vcontract.part_strength(p.part)) * (0.7 + 0.3 * count(*) / (count(*) + 2.0))
                from vcontract.passage p
                where p.tenant = d.tenant and p.kind = d.kind and p.id = d.id and p.words @@ a.sequence)
            end as strength
        from vcontract.search_document d join vcontract.query_alternatives(query) a on d.words @@ a.words
        where d.tenant = vcontract.current_tenant() and d.kind = thing_strengths.kind and d.id = any(ids)
        union all select * from vcontract.day_strengths(ids, query, kind)
    ), best as (
        select h.id, h.word, max(h.strength) as strength from held h group by h.id, h.word
    )
    select b.id, sum(w.share * b.strength) from best b join vcontract.query_weights(query) w using (word)
    where b.strength > 0 group by b.id
$$;

-- The party whose turn a dialog is: its originator, else the first that takes part; null when that tells nobody.
create or replace function vcontract.speaker_of(dialog json) returns integer
    language sql immutable
    return (
        select case when s.speaker ~ '^\d{1,9}$' then s.speaker::integer end
        from (select coalesce(dialog ->> 'originator', case json_typeof(dialog -> 'parties')
            when 'array' then dialog -> 'parties' ->> 0 else dialog ->> 'parties' end) as speaker offset 0) s
    );

-- The words of a query in what a party is found by, for each text dialog that this party speaks.
create or replace function vcontract.speaker_strengths(ids uuid[], query jsonb)
    returns table (id uuid, element integer, word bigint, strength double precision)
    language sql stable
as $$
    with named as materialized (
        select p.id, p.element as party, a.word, max(a.factor) as strength
        from vcontract.passage p join vcontract.query_alternatives(query) a on p.words @@ coalesce(a.sequence, a.words)
        where p.tenant = vcontract.current_tenant() and p.kind = 'vcon' and p.part = 'party' and p.id = any(ids)
        group by p.id, p.element, a.word
    ), spoken as materialized (
        select d.vcon, d.index, vcontract.speaker_of(d.doc) as party from vcontract.dialog d
        where d.tenant = vcontract.current_tenant() and d.vcon in (select n.id from named n) and d.type = 'text'
    )
    select n.id, s.index, n.word, n.strength from named n join spoken s on s.vcon = n.id and s.party = n.party
$$;

-- Where words of a query stand, or are felt: the passages of things with the strength of each word there and what it
-- comes from. `own` in the passage itself; `beside` half of that of the one before or after and 0.4 of the next but
-- one, among the turns of one conversation or the pieces of one other part; `speaker`; `day`.
create or replace function vcontract.passage_strengths(ids uuid[], query jsonb, kind text)
    returns table (
        id uuid, part text, element integer, chunk integer, word bigint, source text, strength double precision
    )
    language sql stable
as $$
    with passage as materialized (
        select p.id, p.part, p.element, p.chunk, case p.part when 'dialog' then 0 else p.element end as series,
            row_number() over (partition by p.id, p.part, case p.part when 'dialog' then 0 else p.element end
                order by p.element, p.chunk) as place,
            p.words @@ (select string_agg('(' || coalesce(a.sequence, a.words)::text || ')', ' | ')::tsquery
                from vcontract.query_alternatives(query) a) as holds
        from vcontract.passage p
        where p.tenant = vcontract.current_tenant() and p.kind = passage_strengths.kind and p.id = any(ids)
    ), own as materialized (
        select s.id, s.part, s.series, s.place, a.word, max(a.factor * case
            when a.sequence is not null then 0.8
            else (select vcontract.word_strength(r.rank)
                from (select ts_rank('{1,1,1,1}', p.words, a.words) as rank offset 0) r)
            end) as strength
        from passage s
        join vcontract.passage p on p.tenant = vcontract.current_tenant() and p.kind = passage_strengths.kind
            and p.id = s.id and p.part = s.part and p.element = s.element and p.chunk = s.chunk
        join vcontract.query_alternatives(query) a on p.words @@ coalesce(a.sequence, a.words)
        where s.holds
        group by s.id, s.part, s.series, s.place, a.word
    ), felt as (
        select o.id, o.part, o.series, o.place + n.away as place, o.word, n.source, n.share * o.strength as strength
        from own o, (values (0, 'own', 1.0), (-1, 'beside', 0.5), (1, 'beside', 0.5), (-2, 'beside', 0.4), (2, 'beside', 0.4))
            n (away, source, share)
    )
    select s.id, s.part, s.element, s.chunk, f.word, f.source, f.strength
    from felt f join passage s using (id, part, series, place)
    union all
    select s.id, s.part, s.element, s.chunk, n.word, 'speaker', n.strength
    from vcontract.speaker_strengths(ids, query) n join passage s
        on passage_strengths.kind = 'vcon' and s.id = n.id and s.part = 'dialog' and s.element = n.element
    union all
    select s.id, s.part, s.element, s.chunk, d.word, 'day', d.strength
    from vcontract.day_strengths(ids, query, kind) d join passage s using (id) where s.part <> 'party'
$$;

-- The cosines of the passages of things with a vector.
create or replace function vcontract.passage_cosines(ids uuid[], kind text, space integer, vector halfvec)
    returns table (id uuid, part text, element integer, chunk integer, cosine double precision)
    language sql stable
as $$
    select e.id, e.part, e.element, e.chunk, -(e.vector <#> passage_cosines.vector) from vcontract.embedding e
    where e.space = passage_cosines.space and e.tenant = vcontract.current_tenant() and e.kind = passage_cosines.kind
        and e.id = any(ids)
$$;

-- The best cosine of each thing, and the mean of its three best.
create or replace function vcontract.thing_cosines(ids uuid[], kind text, space integer, vector halfvec)
    returns table (id uuid, best double precision, cosine double precision)
    language sql stable
as $$
    select c.id, max(c.cosine), avg(greatest(c.cosine, 0)) from (
        select c.id, c.cosine, row_number() over (partition by c.id order by c.cosine desc) as place
        from vcontract.passage_cosines(ids, kind, space, vector) c) c
    where c.place <= 3 group by c.id
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
    return 0.7 * least(greatest(cosine, 0), 1) + 0.3 * least(thing_cosine, 1);

-- Both together, in [0, 1]; weight is the share of meaning, and with 0 words alone count. The third power lets a place
-- that has most of the words outdo any similarity, and one that has few by chance no better one.
create or replace function vcontract.both_scores(keyword double precision, meaning double precision, weight double precision)
    returns double precision
    language sql immutable parallel safe
    return case when weight = 0 then keyword
        else (1 - weight) * keyword * keyword * keyword + weight * meaning end;

-- Every place of things that words or meaning speak for: a dialog, an analysis, the subject, each by its best passage.
-- vector null leaves meaning out of account.
create or replace function vcontract.place_scores(
    ids uuid[], query jsonb, kind text, space integer, vector halfvec, weight double precision
) returns table (
    id uuid, part text, element integer, chunk integer, score double precision, keyword_score double precision,
    meaning_score double precision, strength double precision, cosine double precision, sources text[]
)
    language sql stable
as $$
    with felt as materialized (
        select s.id, s.part, s.element, s.chunk, s.word, max(s.strength) as strength,
            array_agg(s.source) as sources
        from vcontract.passage_strengths(ids, query, kind) s group by s.id, s.part, s.element, s.chunk, s.word
    ), worded as materialized (
        select f.id, f.part, f.element, f.chunk, sum(w.share * f.strength) as strength,
            array(select distinct u from unnest(string_to_array(string_agg(array_to_string(f.sources, ','), ','), ',')) u)
                as sources
        from felt f join vcontract.query_weights(query) w using (word)
        group by f.id, f.part, f.element, f.chunk
    ), near as materialized (
        select * from vcontract.passage_cosines(ids, kind, space, vector) where vector is not null
    ), told as materialized (
        select p.id, p.part, p.element, p.chunk, coalesce(p.strength, 0) as strength, p.cosine, p.sources,
            vcontract.keyword_score(coalesce(p.strength, 0), coalesce(t.strength, 0)) as keyword,
            vcontract.meaning_score(coalesce(p.cosine, 0), coalesce(c.cosine, 0)) as meaning
        from (select * from worded full join near using (id, part, element, chunk)) p
        left join vcontract.thing_strengths(ids, query, kind) t using (id)
        left join (select * from vcontract.thing_cosines(ids, kind, space, vector) where vector is not null) c using (id)
    ), scored as (
        select t.*, vcontract.both_scores(t.keyword, t.meaning, weight) as score from told t
    )
    select distinct on (s.id, s.part, s.element) s.id, s.part, s.element, s.chunk, s.score, s.keyword, s.meaning,
        s.strength, s.cosine, coalesce(s.sources, '{}')
    from scored s order by s.id, s.part, s.element, s.score desc, s.chunk
$$;
