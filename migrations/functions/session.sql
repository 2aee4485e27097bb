-- What session searches look through: exchanges, reflections, and vCons that are no transcript. filters: "projects",
-- ids of project rows; "names", in lower case; "roots"; without any of them everything.
create or replace function vcontract.session_candidates(kind text, filters jsonb, query jsonb, space integer, vector halfvec)
    returns table (resolved jsonb, ids uuid[], is_cut boolean)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
    is_scoped constant boolean := filters ? 'names';
    projects constant uuid[] := array(select jsonb_array_elements_text(filters -> 'projects'))::uuid[];
    names constant text[] := array(select jsonb_array_elements_text(filters -> 'names'));
    roots constant text[] := array(select jsonb_array_elements_text(filters -> 'roots'));
begin
    return query select * from vcontract.recall_candidates(kind, case kind
        when 'reflection' then case when is_scoped then format(
            'exists (select from vcontract.reflection r where r.tenant = %L and r.id = d.id and r.project = any(%L))',
            tenant, projects) else 'true' end
        when 'exchange' then case when is_scoped then format(
            'exists (select from vcontract.transcript_exchange x join vcontract.transcript t'
            '  on t.tenant = x.tenant and t.vcon = x.vcon where x.tenant = %1$L and x.id = d.id'
            '  and (lower(t.project) = any(%2$L) or exists (select from unnest(%3$L::text[]) r'
            '   where t.cwd = r or starts_with(t.cwd, rtrim(r, ''/'') || ''/''))))',
            tenant, names, roots) else 'true' end
        else concat_ws(' and ',
            format('not exists (select from vcontract.transcript t where t.tenant = %L and t.vcon = d.id)', tenant),
            case when is_scoped then format(
                'exists (select from vcontract.tag g where g.tenant = %L and g.vcon = d.id and g.key = ''project'''
                ' and lower(g.value) = any(%L))', tenant, names) end)
        end, query, space, vector);
end
$$;
