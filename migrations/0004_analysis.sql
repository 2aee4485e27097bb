-- What the database tools need: a role for queries that a client wrote, and the number of rows of a table.

-- A client's query runs as this role. It may read what conversations were taken apart into, of one tenant, and
-- nothing else: no secrets, no tokens, no audit. Whatever slips through the checks of analyze_query ends here.
select vcontract.add_role('vcontract_analyst');

do $$
declare
    name text;
begin
    foreach name in array array[
        'vcon', 'party', 'dialog', 'analysis', 'attachment', 'tag', 'dealer', 'search_document', 'passage',
        'spelling', 'embedding', 'embedding_task'
    ] loop
        execute format('alter policy own_tenant on vcontract.%I to vcontract_server, vcontract_analyst', name);
        execute format('grant select on vcontract.%I to vcontract_analyst', name);
    end loop;
end
$$;
grant select on vcontract.embedding_space to vcontract_analyst;
-- The policies ask it for the tenant; it is the only function of ours that the role may call.
grant execute on function vcontract.current_tenant to vcontract_analyst;

-- Rows of all tenants, as sizes and statistics count them too.
create function vcontract.count_rows(table_name text) returns bigint
    language plpgsql stable security definer set search_path = pg_catalog
as $$
declare
    total bigint;
begin
    execute format('select count(*) from vcontract.%I', table_name) into total;
    return total;
end
$$;
select vcontract.restrict_functions();
