-- Statistics: new ones for the planner, and how many rows a table has.

-- Plans are only as good as the statistics: a large import asks for them, only the owner can gather them.
create or replace function vcontract.refresh_statistics() returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    name text;
begin
    for name in
        select c.relname from pg_class c where c.relnamespace = 'vcontract'::regnamespace and c.relkind = 'r'
    loop
        execute format('analyze vcontract.%I', name);
    end loop;
end
$$;

-- Whether a query of a client may read the table.
create or replace function vcontract.is_analyzable(relation oid) returns boolean
    language sql stable
    return has_table_privilege('vcontract_analyst', relation, 'select');

-- Rows of all tenants, as sizes and statistics count them too.
create or replace function vcontract.count_rows(table_name text) returns bigint
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
    total bigint;
begin
    execute format('select count(*) from vcontract.%I', table_name) into total;
    return total;
end
$$;
