-- Search by words and by filters. These functions run with their owner's rights, because row security
-- would keep PostgreSQL from the GIN indexes, so each names the tenant of the session in every condition.

-- A name as names are compared, as fold_name of unicode_cleanup.py does it; ASCII, which most are, in a
-- fraction of the time.
create or replace function vcontract.without_case(name text) returns text
    language sql immutable parallel safe
    return case when octet_length(name) = length(name) then lower(name)
        else translate(replace(lower(regexp_replace(normalize(name, nfc),
            '[\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g')), 'ß', 'ss'), 'ς', 'σ') end;

-- The same without accents, width and variants of letters, by fold of runtime/text/words.py as well.
create or replace function vcontract.folded(name text) returns text
    language sql immutable parallel safe
    return case when octet_length(name) = length(name) then lower(name)
        else vcontract.without_variants(vcontract.without_case(regexp_replace(
            normalize(name, nfkd), '[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670]', '', 'g'))) end;

-- Some of what is to be indexed again, of every tenant.
create or replace function vcontract.word_tasks(at_most integer) returns table (tenant text, kind text, id uuid)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select t.tenant, t.kind, t.id from vcontract.word_task t order by t.tenant, t.kind, t.id limit at_most
$$;

-- A pattern for LIKE that matches any text with `piece` in it, every character literal.
create or replace function vcontract.containing(piece text) returns text
    language sql immutable parallel safe
    return '%' || replace(replace(replace(piece, '\', '\\'), '%', '\%'), '_', '\_') || '%';

-- SQL for whether a folded text holds a piece; an apostrophe is one in all its forms, and the index finds any character there.
create or replace function vcontract.holding(what text, piece text) returns text
    language sql immutable parallel safe
    return case when piece !~ '[''’‘ʼ`]' then format('%s like %L', what, vcontract.containing(piece))
        else format('%1$s like %2$L and translate(%1$s, %3$L, %4$L) like %5$L', what,
            regexp_replace(vcontract.containing(piece), '[''’‘ʼ`]', '_', 'g'), '’‘ʼ`', repeat('''', 4),
            vcontract.containing(translate(piece, '’‘ʼ`', repeat('''', 4)))) end;

-- SQL for whether a folded name has each word of `piece`, in any order: "doe, jane" and "jane doe". A word is a whole one,
-- or the beginning of one if it ends with *. Scripts without spaces have no whole words: their pieces are found anywhere.
create or replace function vcontract.naming(what text, piece text) returns text
    language sql immutable
    return (
        with class as (
            select '[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u2000-\u206F\u3000-\u303F\uFF00-\uFF0F]' as between,
                '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3040-\u30FF\u3400-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF]' as unspaced
        ), word as (
            select regexp_replace(w, '^' || between || '+|' || between || '+$', '', 'g') as word, w like '%*' as is_beginning,
                between, unspaced
            from class, regexp_split_to_table(piece, '[\s,;]+') w
        )
        -- the text is not the column itself: its index finds pieces, and this only looks at what was found
        select coalesce('(' || string_agg(vcontract.holding(what, word) || format(' and (%s || '''') ~ %L', what,
            case when word ~ ('^' || unspaced) then '' else '(^|' || between || ')' end
            || regexp_replace(regexp_replace(word, '([].*+?^$(){}|\\[])', '\\\1', 'g'), '[''’‘ʼ`]', '[''’‘ʼ`]', 'g')
            || case when is_beginning or word ~ (unspaced || '$') then '' else '(' || between || '|$)' end), ' and ') || ')',
            vcontract.holding(what, piece))
        from word where word <> ''
    );

-- One alternative of a word: {"words": tsquery} when its lexemes alone decide, and also
-- {"sequence": tsquery} when they have to follow one another in one passage (one alone is a beginning of words), or
-- {"literal": text} when it has to occur in one character for character; {"literal", "holders": ids} when it was found
-- by reading. {"factor": number} lowers the strength of a corrected spelling.
create or replace function vcontract.alternative_condition(alternative jsonb, tenant text, kind text) returns text
    language sql immutable
    return case
        when alternative ? 'holders' then format('d.id = any(%L::uuid[])',
            (select coalesce(array_agg(i), '{}') from jsonb_array_elements_text(alternative -> 'holders') i))
        else format('d.words @@ %L::tsquery', alternative ->> 'words') || case
            when alternative ? 'literal' or alternative ->> 'sequence' <> alternative ->> 'words' then ' and exists (select from ' || case kind
                when 'exchange' then format('vcontract.passages_of(array[d.id], %L) p where true', kind)
                else format('vcontract.passage p where p.tenant = %L and %s and p.id = d.id', tenant,
                    vcontract.is_of_kind('p.kind', kind))
                end || format(' and p.words @@ %L::tsquery', coalesce(alternative ->> 'sequence', alternative ->> 'words'))
                || case when alternative ? 'literal' then format(
                    ' and vcontract.contains_literally(p.content, %L)', alternative ->> 'literal') else '' end || ')'
            else '' end
        end;

-- Whether lexemes alone decide an alternative.
create or replace function vcontract.is_of_words(alternative jsonb) returns boolean
    language sql immutable parallel safe
    return not alternative ?| '{holders,literal}' and coalesce(alternative ->> 'sequence' = alternative ->> 'words', true);

-- The lexemes that things have which meet every demand, as one tsquery, which the index answers in one look; null when
-- no demand needs any.
create or replace function vcontract.demanded_words(demands jsonb) returns text
    language sql immutable
    return (
        select string_agg('(' || m.words || ')', ' & ') from (
            select string_agg('(' || (a ->> 'words') || ')', ' | ') as words
            from jsonb_array_elements(demands) with ordinality d (demand, number), jsonb_array_elements(d.demand) a
            group by d.number having not bool_or(a ? 'holders')) m);

-- SQL for the demands of a search: their lexemes, and what else has to hold.
create or replace function vcontract.demand_conditions(demands jsonb, tenant text, kind text) returns text
    language sql immutable
    return coalesce(' and d.words @@ ' || quote_literal(vcontract.demanded_words(demands)) || '::tsquery', '') || coalesce((
        select string_agg(m.conditions, '') from (
            select ' and (' || string_agg('(' || vcontract.alternative_condition(a, tenant, kind) || ')', ' or ') || ')' as conditions
            from jsonb_array_elements(demands) with ordinality d (demand, number), jsonb_array_elements(d.demand) a
            group by d.number having not bool_and(vcontract.is_of_words(a))) m), '');

-- What functions with their owner's rights have to demand of vcontract.search_document d where row security would show only
-- what is answered for the session's purposes; nothing without them.
create or replace function vcontract.consent_condition() returns text
    language sql stable
    return case when vcontract.current_purposes() is null then ''
        else ' and d.id not in (select w from vcontract.withheld() w)' end;

-- The phrases of {"any": tsquery, "all": [tsquery, ...]}, each of which has to be said.
create or replace function vcontract.said_phrases(said jsonb) returns text[]
    language sql immutable
    return array(select said ->> 'any' where said ? 'any' union all select jsonb_array_elements_text(said -> 'all'));

-- SQL for whether a turn t of the vCon of search_document d meets {"role", "speaker", "first_seconds", "last_seconds"}, null
-- where that is unknown.
create or replace function vcontract.said_by_and_when(said jsonb) returns text
    language sql immutable
    return (
        select coalesce('(' || string_agg(c, ' and ') || ')', 'true')
        from (values
            ('role', format('t.role = %L', said ->> 'role')),
            ('speaker', vcontract.naming('t.speaker', said ->> 'speaker')),
            ('first_seconds', format('t.starts < %s', (said ->> 'first_seconds')::float)),
            ('last_seconds', format('t.ends > d.turns_end - %s', (said ->> 'last_seconds')::float))
        ) x (name, c) where said ? x.name);

-- SQL for whether something was said in d: {"any": tsquery, "all": [tsquery, ...], "role", "speaker", "first_seconds",
-- "last_seconds"}.
create or replace function vcontract.said_condition(said jsonb, tenant text) returns text
    language sql immutable
    return (
        select string_agg(format('exists (select from vcontract.turn t where t.tenant = %L and t.vcon = d.id'
            ' and t.words @@ %L::tsquery and %s)', tenant, words, vcontract.said_by_and_when(said)), ' and ')
        from unnest(vcontract.said_phrases(said)) words);

-- SQL for whether it is known of d what is asked: all its words, and some times, roles or speakers.
create or replace function vcontract.said_is_known(said jsonb) returns text
    language sql immutable
    return (
        select format('d.turns_known = any (%L::smallint[])', array_agg(bits))
        from generate_series(0, 15) bits,
            (select 1 + case when said ?| '{first_seconds,last_seconds}' then 2 else 0 end
                + case when said ? 'role' then 4 else 0 end + case when said ? 'speaker' then 8 else 0 end as needed) n
        where bits & needed = needed);

-- SQL of the vCons in which something was said or, as time, role or speaker are unknown, may have been; or only the latter.
create or replace function vcontract.maybe_said_in(said jsonb, tenant text, is_unknown boolean) returns text
    language sql immutable
    return (
        select format('select t.vcon from vcontract.turn t%s where t.tenant = %L and t.words @@ %L::tsquery and %s is not false'
            ' group by t.vcon having %s%s',
            case when said ? 'last_seconds' then format(
                ' join vcontract.search_document d on d.tenant = %L and d.kind = ''vcon'' and d.id = t.vcon', tenant) end,
            tenant, string_agg(format('(%s)', words), ' | '), vcontract.said_by_and_when(said),
            string_agg(format('bool_or(t.words @@ %L::tsquery)', words), ' and '),
            case when is_unknown then format(' and not (%s)', string_agg(format(
                'coalesce(bool_or(t.words @@ %L::tsquery and %s), false)', words, vcontract.said_by_and_when(said)), ' and ')) end)
        from unnest(vcontract.said_phrases(said)) words);

-- SQL for whether something is known not to have been said in d. Joins, because a subplan of many turns is slow.
create or replace function vcontract.not_said_condition(said jsonb, tenant text) returns text
    language sql immutable
    return format('%s and not exists (select from %s)', vcontract.said_is_known(said),
        case cardinality(vcontract.said_phrases(said))
            when 1 then format('vcontract.turn t where t.tenant = %L and t.vcon = d.id and t.words @@ %L::tsquery and %s is not false',
                tenant, (vcontract.said_phrases(said))[1], vcontract.said_by_and_when(said))
            else format('(%s) m where m.vcon = d.id', vcontract.maybe_said_in(said, tenant, false)) end);

-- SQL of the vCons in which something may have been said or not: words are missing, no turn has the time or role that is
-- asked for, or one with these words has none.
create or replace function vcontract.said_unknown_in(said jsonb, tenant text) returns text
    language sql immutable strict
    return format('select d.id from vcontract.search_document d where d.tenant = %L and d.kind = ''vcon'' and (%s) is not true'
            ' and not (%s)', tenant, vcontract.said_is_known(said), vcontract.said_condition(said, tenant))
        || case when said ?| '{role,speaker,first_seconds,last_seconds}' then
            ' union all ' || vcontract.maybe_said_in(said, tenant, true) else '' end;

-- SQL of the vCons that may meet both said and not_said, or the one that is there, but not known to.
create or replace function vcontract.undecided(spec jsonb, tenant text) returns text
    language sql immutable
    return case when not spec ?& '{said,not_said}' then
            vcontract.said_unknown_in(coalesce(spec -> 'said', spec -> 'not_said'), tenant)
        else (
            select string_agg(format('select d.id from vcontract.search_document d where d.tenant = %L and d.kind = ''vcon'''
                ' and d.id in (%s) and %s', tenant, unknown, met), ' union all ')
            from (values
                (vcontract.said_unknown_in(spec -> 'said', tenant),
                    format('not (%s)', vcontract.said_condition(spec -> 'not_said', tenant))),
                (vcontract.said_unknown_in(spec -> 'not_said', tenant), vcontract.said_condition(spec -> 'said', tenant))
            ) x (unknown, met)) end;

-- The conditions of a search on vcontract.search_document d, as SQL. Every text of the specification
-- goes in as a quoted literal.
--   required  [[alternative, ...], ...]   each inner list is one demand, met by any of its alternatives
--   excluded  [alternative, ...]
--   from, to  timestamps, half open
--   said_from, said_to   timestamps, half open: something may have been said then
--   below     {"at", "id"}: only older than this
--   tags      [{"key", "value"}, ...]
--   features  [text, ...]   of vCons, all of them
--   events    {"any": [kind, ...], "from", "to"}: one of these happened, then, half open
--   waiting   embedding space that a vCon has passages without vectors in
--   said, not_said   as in said_condition, each known to be so
--   said_unknown   true: whether that is so of said or not_said is not known, instead
--   repeat_within_days   a party was in a conversation that began up to so many days before
--   version_of  uuid of a vCon that others say they amend or redact
--   versions    latest: none of superseded_versions()
--   analysis_vendor   of an analysis, of analysis_type if that is there
--   people    folded names or roles of parties that are all there
--   subject, party_name, party_email, party_tel, party_role, dealer_id, dealer_name   folded by the caller
-- and those of vcontract.kind_conditions.
create or replace function vcontract.search_conditions(spec jsonb, kind text) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    conditions text := format('d.tenant = %L and %s', tenant, vcontract.is_of_kind('d.kind', kind));
    party text := '';
    item jsonb;
begin
    conditions := conditions || vcontract.consent_condition();
    if spec ? 'required' then
        conditions := conditions || vcontract.demand_conditions(spec -> 'required', tenant, kind);
    end if;
    for item in select * from jsonb_array_elements(spec -> 'excluded') loop
        conditions := conditions || ' and not (' || vcontract.alternative_condition(item, tenant, kind) || ')';
    end loop;
    if spec ? 'from' then
        conditions := conditions || format(' and d.occurred_at >= %L', spec ->> 'from');
    end if;
    if spec ? 'to' then
        conditions := conditions || format(' and d.occurred_at < %L', spec ->> 'to');
    end if;
    if spec ? 'said_from' then
        conditions := conditions || format(' and coalesce(d.last_at, d.occurred_at) >= %L', spec ->> 'said_from');
    end if;
    if spec ? 'said_to' then
        conditions := conditions || format(' and coalesce(d.first_at, d.occurred_at) < %L', spec ->> 'said_to');
    end if;
    if spec ? 'below' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) < (%L, %L)', spec #>> '{below,at}', spec #>> '{below,id}');
    end if;
    if spec ? 'waiting' then
        conditions := conditions || format(
            ' and exists (select from vcontract.embedding_task w where w.tenant = %L and w.kind = d.kind'
            ' and w.id = d.id and w.space = %L)', tenant, spec ->> 'waiting');
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
            ' and %s)', tenant, vcontract.holding('v.subject_folded', spec ->> 'subject'));
    end if;
    for item in select * from jsonb_array_elements(spec -> 'people') loop
        conditions := conditions || format(
            ' and (exists (select from vcontract.party p where p.tenant = %L and p.vcon = d.id and %s)%s)',
            tenant, vcontract.or_known_as(vcontract.naming('p.name_folded', item #>> '{}')),
            (select format(' or exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id and v.features && %L::text[])',
                tenant, array_agg('role:' || c.name))
            from vcontract.counted('{role}', null) c where vcontract.folded(c.name) = item #>> '{}' having count(*) > 0));
    end loop;
    if spec ? 'party_name' then
        party := party || ' and ' || vcontract.or_known_as(vcontract.naming('p.name_folded', spec ->> 'party_name'));
    end if;
    if spec ? 'party_email' then
        party := party || ' and ' || vcontract.or_known_as(
            format('p.email_folded like %L', vcontract.containing(spec ->> 'party_email')));
    end if;
    if spec ? 'party_tel' then
        party := party || ' and ' || vcontract.or_known_as(
            format('p.tel_digits like %L', vcontract.containing(spec ->> 'party_tel')));
    end if;
    if spec ? 'party_role' then
        -- as it is written in vCons, which an index finds unless it is long; beside other conditions it is that party's
        if length(spec ->> 'party_role') <= 255 then
            conditions := conditions || format(
                ' and exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id and v.features && %L::text[])',
                tenant, array(select 'role:' || c.name from vcontract.counted('{role}', null) c
                    where vcontract.folded(c.name) = spec ->> 'party_role'));
        end if;
        if party <> '' or length(spec ->> 'party_role') > 255 then
            party := party || format(' and vcontract.folded(p.doc ->> ''role'') = %L', spec ->> 'party_role');
        end if;
    end if;
    for item in select * from jsonb_array_elements(spec -> 'features') loop
        conditions := conditions || format(
            ' and exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id'
            ' and v.features @> %L::text[])', tenant, array[item #>> '{}']);
    end loop;
    if spec ? 'events' then
        conditions := conditions || format(
            ' and exists (select from vcontract.vcon v where v.tenant = %1$L and v.uuid = d.id and v.features && %2$L::text[]%3$s)',
            tenant, array(select 'event:' || k from jsonb_array_elements_text(spec #> '{events,any}') k),
            case when spec -> 'events' ?| '{from,to}' then format(
                ' and exists (select from vcontract.call_events(v.tenant, v.uuid, v.head) e'
                ' where e.kind = any (%L::text[]) and e.at >= %L and e.at < %L)',
                array(select jsonb_array_elements_text(spec #> '{events,any}')),
                coalesce(spec #>> '{events,from}', '-infinity'), coalesce(spec #>> '{events,to}', 'infinity')) end);
    end if;
    if spec ? 'said_unknown' then
        conditions := conditions || format(' and d.id in (%s)', vcontract.undecided(spec, tenant));
    else
        if spec ? 'said' then
            conditions := conditions || ' and ' || vcontract.said_condition(spec -> 'said', tenant);
        end if;
        if spec ? 'not_said' then
            conditions := conditions || ' and ' || vcontract.not_said_condition(spec -> 'not_said', tenant);
        end if;
    end if;
    if spec ? 'repeat_within_days' then
        conditions := conditions || format(' and d.id in (select r.vcon from (%s) r where r.is_repeat)',
            vcontract.repeat_contacts((spec ->> 'repeat_within_days')::integer));
    end if;
    if spec ? 'version_of' then
        conditions := conditions || format(
            ' and d.id = any (array(select v.uuid from vcontract.vcon v where v.tenant = %1$L'
            ' and lower(left(coalesce(v.head -> ''amended_from'', v.head -> ''amended'') ->> ''uuid'', 36)) = %2$L union select v.uuid from vcontract.vcon v'
            ' where v.tenant = %1$L and lower(left(coalesce(v.head -> ''redacted_from'', v.head -> ''redacted'') ->> ''uuid'', 36)) = %2$L))',
            tenant, spec ->> 'version_of');
    end if;
    if spec ->> 'versions' = 'latest' then
        conditions := conditions || ' and d.id <> all (array(select vcontract.superseded_versions()))';
    end if;
    if spec ? 'analysis_vendor' then
        conditions := conditions || format(
            ' and exists (select from vcontract.analysis a where a.tenant = %L and a.vcon = d.id and a.vendor = %L%s)',
            tenant, spec ->> 'analysis_vendor',
            case when spec ? 'analysis_type' then format(' and a.type = %L', spec ->> 'analysis_type') else '' end);
    end if;
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
            ' and %s)', tenant, vcontract.holding('r.name_folded', spec ->> 'dealer_name'));
    end if;
    return conditions || vcontract.kind_conditions(spec, kind);
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

-- How many things of some kinds have all words of each tsquery, counted to at_most; of '' how many there are in all.
create or replace function vcontract.count_things(kinds text[], words text[], at_most integer) returns bigint[]
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
            ' and d.kind = any($1)%s%s) f', tenant, vcontract.consent_condition(), case when word <> '' then
                format(' and d.words @@ %L::tsquery limit %s', word, at_most) else '' end) using kinds into number;
        counts := counts || number;
    end loop;
    return counts;
end
$$;

-- What a query is weighed by, in one statement: the counts of count_things; the aliases of the people of whom a name, address or
-- number is among `names`; about how many passages and things are stored; and how many passages wait for a vector of the
-- active space, null without one.
create or replace function vcontract.query_facts(kinds text[], words text[], at_most integer, names text[])
    returns table (counts bigint[], aliases jsonb, passages real, things real, pending bigint)
    language sql stable
as $$
    select vcontract.count_things(kinds, words, at_most),
        (
            select jsonb_agg(jsonb_build_array(a.person, a.written, a.name_folded, a.email_folded, a.tel_digits)
                order by a.person, a.written)
            from vcontract.alias a
            where a.tenant = vcontract.current_tenant() and a.person in (
                select o.person from vcontract.alias o
                where o.tenant = vcontract.current_tenant() and (o.email_folded = any(names) or o.tel_digits = any(names)
                    or regexp_split_to_array(o.name_folded, '[\s,;.]+') && names))
        ),
        (select c.reltuples from pg_class c where c.oid = 'vcontract.passage'::regclass),
        (select c.reltuples from pg_class c where c.oid = 'vcontract.search_document'::regclass),
        (
            select coalesce(sum(w.passages), 0) from vcontract.embedding_space s
            left join vcontract.embedding_task w on w.tenant = vcontract.current_tenant() and w.space = s.id
            where s.state = 'active' group by s.id
        )
$$;

-- Known spellings near a word, nearest first; none where they may be of what is not answered.
create or replace function vcontract.near_spellings(misspelled text, nearness real, most integer)
    returns table (word text, similarity real)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
begin
    if exists (select from vcontract.withheld()) then
        return;
    end if;
    perform set_config('pg_trgm.similarity_threshold', nearness::text, true);
    -- swapped letters leave few common trigrams: refnud and refund share a quarter
    return query execute format(
        'select s.word, similarity(s.word, $1) from vcontract.spelling s'
        ' where s.tenant = %L and (s.word %% $1 or s.word = any($2))'
        ' order by s.word = any($2) desc, 2 desc, 1 limit %s', tenant, most)
        using misspelled, array(
            select overlay(misspelled placing reverse(substr(misspelled, at, 2)) from at for 2)
            from generate_series(1, length(misspelled) - 1) at);
end
$$;

-- Known words that begin so, the shortest first; none where they may be of what is not answered.
create or replace function vcontract.spellings_of(prefix text, most integer) returns setof text
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    if exists (select from vcontract.withheld()) then
        return;
    end if;
    return query execute format(
        'select s.word from vcontract.spelling s where s.tenant = %L and s.word like %L'
        ' order by length(s.word), s.word limit %s',
        vcontract.current_tenant(), prefix || '%', most);
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

drop function if exists vcontract.spread_of_cosines(integer, halfvec);

-- The vectors of some 200 passages of 40 things spread over time: the spread of a query's cosines with them shows whether
-- anything is about it.
create or replace function vcontract.sampled_vectors(space integer) returns setof halfvec
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
begin
    return query with span as (
        select k.kind, first.at as since, last.at as until
        from unnest(array['vcon', 'reflection'] || vcontract.stored_kinds('bridge')) k (kind),
        lateral (select d.occurred_at as at from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = k.kind order by d.occurred_at, d.id limit 1) first,
        lateral (select d.occurred_at as at from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = k.kind
            order by d.occurred_at desc, d.id desc limit 1) last
    ), first as materialized (
        select d.kind, d.id from span s, lateral (select d.kind, d.id from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = s.kind order by d.occurred_at, d.id limit 41) d
    ), thing as materialized (
        -- all of a small store, whose times may be in a few clusters
        select f.kind, f.id from first f where (select count(*) from first) <= 40
        union
        select s.kind, n.id from span s, generate_series(0, 39) moment,
        lateral (select d.id from vcontract.search_document d
            where d.tenant = vcontract.current_tenant() and d.kind = s.kind
                and d.occurred_at <= s.until - moment / 40.0 * (s.until - s.since)
            order by d.occurred_at desc, d.id desc limit 1) n
        where (select count(*) from first) > 40
    )
    select e.vector from thing t,
    lateral (select v.vector from vcontract.embedding v
        where v.tenant = vcontract.current_tenant() and v.kind = t.kind and v.id = t.id
            and v.space = sampled_vectors.space
        order by v.part, v.element, v.chunk limit 200 / (select count(*) from thing)) e;
end
$$;
