-- What the numbered files call; applied before them, and once more with the other functions.

-- It is made anew after everything else; until then it must hold nothing fast that a file changes.
drop schema if exists vcontract_blank cascade;

-- A role without rights of its own, which the owner may take on. Roles belong to the whole cluster: it may be there.
create or replace function vcontract.add_role(name text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    begin
        execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole', name);
    exception when duplicate_object or unique_violation then
        null;
    end;
    if not pg_has_role(current_user, name, 'member') then
        execute format('grant %I to %I', name, current_user);
    end if;
    execute format('grant usage on schema vcontract to %I', name);
end
$$;

create or replace function vcontract.current_tenant() returns text
    language sql stable parallel safe
    return current_setting('vcontract.tenant');

-- Binds tables to the tenant of the session: the server reads and writes the rows of that tenant and no others.
create or replace function vcontract.bind_to_tenant(variadic tables text[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    name text;
begin
    foreach name in array tables loop
        execute format('alter table vcontract.%I enable row level security', name);
        execute format(
            'create policy own_tenant on vcontract.%I to vcontract_server '
            'using (tenant = (select vcontract.current_tenant())) '
            'with check (tenant = (select vcontract.current_tenant()))',
            name
        );
        execute format('grant select, insert, update, delete on vcontract.%I to vcontract_server', name);
    end loop;
end
$$;
