-- What the numbered files call; applied before them, and once more with the other functions.

-- It is made anew after everything else; until then it must hold nothing fast that a file changes.
drop schema if exists vcontract_blank cascade;

-- A setting of pgvector can be written into a function once the session knows it, unless one is a superuser.
do $$
begin
    if to_regtype('public.vector') is not null then
        execute $vector$ select '[1]'::public.vector $vector$;
    end if;
end
$$;

-- A role without rights of its own. Roles belong to the whole cluster: it may be there. Whoever makes one may take it on.
create or replace function vcontract.add_role(name text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (select from pg_roles r where r.rolname = add_role.name) then
        begin
            execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole', name);
        exception when duplicate_object or unique_violation then
            null;
        end;
        if not pg_has_role(current_user, name, 'set') then
            execute format('grant %I to %I with inherit false, set true', name, current_user);
        end if;
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
