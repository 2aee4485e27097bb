-- Bridge: the records that filters admit.

-- Conditions on the row r of bridge_record, as SQL. Every text of the filters goes in as a quoted literal.
--   types        ["source", …]            exact        the id that may be superseded
--   ids, uids    of records               created, when  {"from"?, "to"?}, half open
--   experiencer  folded by the caller     qualities    [type, …], all of them
--   perspective, processing, shot         framed, reviewed   booleans
--   timeless     true: only what has no event time
create or replace function vcontract.bridge_conditions(filters jsonb) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    conditions text := format('r.tenant = %L and (r.reframed_by is null or r.id = %L)', tenant, filters ->> 'exact');
    qualities text[];
begin
    if filters ? 'types' then
        conditions := conditions || format(' and r.type = any(%L::text[])',
            array(select jsonb_array_elements_text(filters -> 'types')));
    end if;
    if filters ? 'ids' then
        conditions := conditions || format(' and r.id = any(%L::text[])',
            array(select jsonb_array_elements_text(filters -> 'ids')));
    end if;
    if filters ? 'uids' then
        conditions := conditions || format(' and r.uid = any(%L::uuid[])',
            array(select jsonb_array_elements_text(filters -> 'uids')));
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
            ' and (r.experiencer_folded = %1$L or %1$L = any(r.experiencers))', filters ->> 'experiencer');
    end if;
    if filters ? 'perspective' then
        conditions := conditions || format(
            ' and (r.perspective = %1$L or %1$L = any(r.perspectives))', filters ->> 'perspective');
    end if;
    if filters ? 'processing' then
        conditions := conditions || format(
            ' and (r.processing = %1$L or %1$L = any(r.processings))', filters ->> 'processing');
    end if;
    if filters #> '{qualities,0}' is not null then
        -- counted, and not a condition each: the planner takes seconds over dozens of joins
        qualities := array(select distinct jsonb_array_elements_text(filters -> 'qualities'));
        conditions := conditions || format(
            ' and r.id in (select q.moment_id from vcontract.bridge_quality q where q.tenant = %L'
            ' and q.type = any(%L::text[]) group by q.moment_id having count(distinct q.type) = %s)',
            tenant, qualities, cardinality(qualities));
    end if;
    if filters ? 'shot' then
        conditions := conditions || format(' and r.shot = %L', filters ->> 'shot');
    end if;
    if filters ? 'reviewed' then
        conditions := conditions || format(' and r.reviewed = %L', filters ->> 'reviewed');
    end if;
    if filters ? 'framed' then
        -- no condition that becomes a join: what is framed is gathered once, whatever is known of how much that is
        conditions := conditions || format(
            ' and r.type = ''source'' and (r.id in (select l.member from vcontract.bridge_link l'
            ' join vcontract.bridge_record h on h.tenant = %1$L and h.id = l.holder and h.reframed_by is null'
            ' where l.tenant = %1$L and l.kind = ''frames'')) is %2$s',
            tenant, filters ->> 'framed');
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
begin
    return query execute 'select r.type, r.id::text, r.uid, r.created, coalesce(r.when_start, r.created), r.experiencer'
        ' from vcontract.bridge_record r where ' || vcontract.bridge_conditions(filters);
end
$$;
