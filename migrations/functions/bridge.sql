-- Bridge: the records that filters admit, and recall among them.

-- Conditions on the row r of a kind's table, as SQL. Every text of the filters goes in as a quoted literal.
--   types        ["source", …]            exact        the id that may be superseded
--   ids          ids of records           created, when  {"from"?, "to"?}, half open
--   experiencer  folded by the caller     qualities    [type, …], all of them
--   perspective, processing, shot         framed, reviewed   booleans
--   timeless     true: only what has no event time
create or replace function vcontract.bridge_conditions(kind text, filters jsonb) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    is_source constant boolean := kind = 'bridge_source';
    conditions text := format('r.tenant = %L', tenant);
    item text;
begin
    if filters ? 'types' and not filters -> 'types' ? replace(kind, 'bridge_', '')
        or filters ? 'qualities' and kind <> 'bridge_moment'
        or is_source and (filters ? 'shot' or filters ? 'reviewed')
        or not is_source and filters ? 'framed'
    then
        return 'false';
    end if;
    if not is_source then
        conditions := conditions || format(' and (r.reframed_by is null or r.id = %L)', filters ->> 'exact');
    end if;
    if filters ? 'ids' then
        conditions := conditions || format(' and r.id = any(%L::text[])',
            array(select jsonb_array_elements_text(filters -> 'ids')));
    end if;
    if filters #> '{created,from}' is not null then
        conditions := conditions || format(' and r.created >= %L', filters #>> '{created,from}');
    end if;
    if filters #> '{created,to}' is not null then
        conditions := conditions || format(' and r.created < %L', filters #>> '{created,to}');
    end if;
    if filters ? 'when' then
        conditions := conditions || ' and r.when_start is not null';
    end if;
    if filters #> '{when,from}' is not null then
        conditions := conditions || format(' and r.when_end > %L', filters #>> '{when,from}');
    end if;
    if filters #> '{when,to}' is not null then
        conditions := conditions || format(' and r.when_start < %L', filters #>> '{when,to}');
    end if;
    if filters ? 'timeless' then
        conditions := conditions || ' and r.when_start is null';
    end if;
    if filters ? 'experiencer' then
        conditions := conditions || format(
            case when is_source then ' and r.experiencer_folded = %1$L'
            else ' and (r.experiencer_folded = %1$L or %1$L = any(r.experiencers))' end, filters ->> 'experiencer');
    end if;
    if filters ? 'perspective' then
        conditions := conditions || format(
            case when is_source then ' and r.perspective = %L' else ' and %L = any(r.perspectives)' end,
            filters ->> 'perspective');
    end if;
    if filters ? 'processing' then
        conditions := conditions || format(
            case when is_source then ' and r.processing = %L' else ' and %L = any(r.processings)' end,
            filters ->> 'processing');
    end if;
    for item in select * from jsonb_array_elements_text(filters -> 'qualities') loop
        conditions := conditions || format(
            ' and exists (select from vcontract.bridge_quality q where q.tenant = %L and q.moment_id = r.id'
            ' and q.type = %L)', tenant, item);
    end loop;
    if filters ? 'shot' then
        conditions := conditions || format(' and r.shot = %L', filters ->> 'shot');
    end if;
    if filters ? 'reviewed' then
        conditions := conditions || format(' and r.reviewed = %L', filters ->> 'reviewed');
    end if;
    if filters ? 'framed' then
        conditions := conditions || format(
            ' and %s exists (select from vcontract.bridge_moment_source f'
            ' join vcontract.bridge_moment m on m.tenant = %L and m.id = f.moment_id and m.reframed_by is null'
            ' where f.tenant = %2$L and f.source_id = r.id)',
            case when (filters ->> 'framed')::boolean then '' else 'not' end, tenant);
    end if;
    return conditions;
end
$$;

-- The records that filters admit, with what they are sorted and grouped by.
create or replace function vcontract.bridge_rows(filters jsonb) returns table (
    type text, id text, uid uuid, created timestamptz, occurred_at timestamptz, experiencer text
)
    language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
    kind text;
    conditions text;
begin
    foreach kind in array array['bridge_source', 'bridge_moment', 'bridge_scene'] loop
        conditions := vcontract.bridge_conditions(kind, filters);
        continue when conditions = 'false';
        return query execute format(
            'select %L::text, r.id::text, r.uid, r.created, coalesce(r.when_start, r.created), r.experiencer'
            ' from vcontract.%I r where %s', replace(kind, 'bridge_', ''), kind, conditions);
    end loop;
end
$$;

-- What recall may find of one kind among the records that filters admit; see recall.sql.
create or replace function vcontract.bridge_candidates(kind text, filters jsonb, query jsonb, space integer, vector halfvec)
    returns table (resolved jsonb, ids uuid[], is_cut boolean)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    if kind not in ('bridge_source', 'bridge_moment', 'bridge_scene') then
        raise exception 'no kind of the bridge: %', kind;
    end if;
    return query select * from vcontract.recall_candidates(kind, format(
        'exists (select from vcontract.%I r where r.uid = d.id and %s)', kind,
        vcontract.bridge_conditions(kind, filters)), query, space, vector);
end
$$;
