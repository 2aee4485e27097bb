-- The exchanges of transcripts: those of sub-agents only with "sidechains"; from, to: timestamps, half open.
create or replace function vcontract.memory_candidates(kind text, filters jsonb, query jsonb, space integer, vector halfvec)
    returns table (resolved jsonb, ids uuid[], is_cut boolean)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
begin
    return query select * from vcontract.recall_candidates(kind, concat_ws(' and ', 'true',
        case when filters ? 'from' then format('d.occurred_at >= %L', filters ->> 'from') end,
        case when filters ? 'to' then format('d.occurred_at < %L', filters ->> 'to') end,
        case when not coalesce((filters ->> 'sidechains')::boolean, false) then format(
            'not exists (select from vcontract.transcript_exchange x where x.tenant = %L and x.id = d.id and x.sidechain)',
            vcontract.current_tenant()) end
    ), query, space, vector);
end
$$;
