-- Kinds: where the things of each kind are, which passages and vectors are theirs, and which filters they know. What is
-- searched, weighed and scored elsewhere asks here, so that every kind is found by the same formula.
--   vcon, reflection  have passages of their own kind and id
--   bridge            sources, moments and scenes at once, each under a kind of its own
--   exchange          has passages in the vCon of its transcript, as vcontract.transcript_exchange says: part dialog
--                     from dialog_from until before dialog_to, parts trace and trace_body at element `number`

-- The kinds of the rows of search_document that hold the things of a kind.
create or replace function vcontract.stored_kinds(kind text) returns text[]
    language sql immutable parallel safe
    return case kind when 'bridge' then array['bridge_source', 'bridge_moment', 'bridge_scene'] else array[kind] end;

-- SQL for whether a row is of a kind.
create or replace function vcontract.is_of_kind(field text, kind text) returns text
    language sql immutable
    return case when cardinality(vcontract.stored_kinds(kind)) = 1 then format('%s = %L', field, kind)
        else format('%s = any(%L::text[])', field, vcontract.stored_kinds(kind)) end;

create or replace function vcontract.contains_literally(content text, literal text) returns boolean
    language sql immutable parallel safe
    return strpos(lower(content), lower(literal)) > 0;

-- The passages of things, each with the id of its thing.
create or replace function vcontract.passages_of(ids uuid[], kind text) returns table (
    id uuid, part text, element integer, chunk integer, content text, words tsvector
)
    language sql stable
as $$
    select p.id, p.part, p.element, p.chunk, p.content, p.words from vcontract.passage p
    where passages_of.kind <> 'exchange' and p.tenant = vcontract.current_tenant()
        and p.kind = any(vcontract.stored_kinds(passages_of.kind)) and p.id = any(ids)
    union all
    select x.id, p.part, p.element, p.chunk, p.content, p.words
    from vcontract.transcript_exchange x join vcontract.passage p on p.tenant = vcontract.current_tenant()
        and p.kind = 'vcon' and p.id = x.vcon and p.part = 'dialog'
        and p.element >= x.dialog_from and p.element < x.dialog_to
    where passages_of.kind = 'exchange' and x.tenant = vcontract.current_tenant() and x.id = any(ids)
    union all
    select x.id, p.part, p.element, p.chunk, p.content, p.words
    from vcontract.transcript_exchange x join vcontract.passage p on p.tenant = vcontract.current_tenant()
        and p.kind = 'vcon' and p.id = x.vcon and p.part in ('trace', 'trace_body') and p.element = x.number
    where passages_of.kind = 'exchange' and x.tenant = vcontract.current_tenant() and x.id = any(ids)
$$;

-- The vectors of things in a space, each with the id of its thing.
create or replace function vcontract.vectors_of(ids uuid[], kind text, space integer) returns table (
    id uuid, part text, element integer, chunk integer, vector halfvec
)
    language sql stable
as $$
    select e.id, e.part, e.element, e.chunk, e.vector from vcontract.embedding e
    where vectors_of.kind <> 'exchange' and e.space = vectors_of.space and e.tenant = vcontract.current_tenant()
        and e.kind = any(vcontract.stored_kinds(vectors_of.kind)) and e.id = any(ids)
    union all
    select x.id, e.part, e.element, e.chunk, e.vector
    from vcontract.transcript_exchange x
    -- offset 0: by the primary key, for the vectors of all vCons are many more than those of a few exchanges
    cross join lateral (
        select * from vcontract.embedding e where e.space = vectors_of.space
            and e.tenant = vcontract.current_tenant() and e.kind = 'vcon' and e.id = x.vcon and e.part = 'dialog'
            and e.element >= x.dialog_from and e.element < x.dialog_to
        offset 0
    ) e
    where vectors_of.kind = 'exchange' and x.tenant = vcontract.current_tenant() and x.id = any(ids)
    union all
    select x.id, e.part, e.element, e.chunk, e.vector
    from vcontract.transcript_exchange x join vcontract.embedding e on e.space = vectors_of.space
        and e.tenant = vcontract.current_tenant() and e.kind = 'vcon' and e.id = x.vcon and e.part = 'trace'
        and e.element = x.number
    where vectors_of.kind = 'exchange' and x.tenant = vcontract.current_tenant() and x.id = any(ids)
$$;

-- SQL for the thing of a kind that a vector e is of and that meets conditions on d; null when there is none.
create or replace function vcontract.thing_of_vector(kind text, conditions text) returns text
    language sql stable
    return case kind
        when 'exchange' then format(
            '(select d.id from vcontract.transcript_exchange x join vcontract.search_document d on d.id = x.id and %2$s'
            ' where x.tenant = %1$L and x.vcon = e.id'
            ' and (e.part = ''dialog'' and e.element >= x.dialog_from and e.element < x.dialog_to'
            '  or e.part = ''trace'' and e.element = x.number) limit 1)', vcontract.current_tenant(), conditions)
        else format('(select d.id from vcontract.search_document d where d.id = e.id and %s)', conditions)
        end;

-- The conditions that only some kinds know, on vcontract.search_document d, as SQL; what is not given holds.
--   bridge       filters of vcontract.bridge_conditions
--   scope        {"projects": ids, "names": as without_case has them, "roots"} of exchanges, reflections and other vCons
--   sidechains   false: no exchanges of sub-agents
--   transcripts  false: no vCons that are transcripts, whose exchanges are things of their own; true: these alone
create or replace function vcontract.kind_conditions(spec jsonb, kind text) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    names constant text[] := array(select jsonb_array_elements_text(spec #> '{scope,names}'));
    roots constant text[] := array(select jsonb_array_elements_text(spec #> '{scope,roots}'));
    conditions text := '';
begin
    if kind = 'bridge' and spec ? 'bridge' then
        conditions := conditions || format(
            ' and exists (select from vcontract.bridge_record r where r.uid = d.id and d.kind = ''bridge_'' || r.type and %s)',
            vcontract.bridge_conditions(spec -> 'bridge'));
    end if;
    if kind = 'exchange' and not coalesce((spec ->> 'sidechains')::boolean, true) then
        conditions := conditions || format(
            ' and not exists (select from vcontract.transcript_exchange x where x.tenant = %L and x.id = d.id and x.sidechain)',
            tenant);
    end if;
    if kind = 'vcon' and spec ? 'transcripts' then
        conditions := conditions || format(
            ' and %s (select from vcontract.transcript t where t.tenant = %L and t.vcon = d.id)',
            case when (spec ->> 'transcripts')::boolean then 'exists' else 'not exists' end, tenant);
    end if;
    if not spec ? 'scope' then
        return conditions;
    end if;
    return conditions || case kind
        when 'reflection' then format(
            ' and exists (select from vcontract.reflection r where r.tenant = %L and r.id = d.id and r.project = any(%L))',
            tenant, array(select jsonb_array_elements_text(spec #> '{scope,projects}'))::uuid[])
        when 'exchange' then format(
            ' and exists (select from vcontract.transcript_exchange x join vcontract.transcript t'
            '  on t.tenant = x.tenant and t.vcon = x.vcon where x.tenant = %1$L and x.id = d.id'
            '  and (vcontract.without_case(t.project) = any(%2$L) or exists (select from unnest(%3$L::text[]) r'
            '   where t.cwd = r or starts_with(t.cwd, rtrim(r, ''/'') || ''/''))))', tenant, names, roots)
        when 'vcon' then format(
            ' and exists (select from vcontract.tag g where g.tenant = %L and g.vcon = d.id and g.key = ''project'''
            ' and vcontract.without_case(g.value) = any(%L))', tenant, names)
        else '' end;
end
$$;
