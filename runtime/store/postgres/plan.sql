-- What a superuser has to do once for a store of vcontract; running it again changes nothing. For psql:
--
--     vcontract db plan | psql --set ON_ERROR_STOP=1 --dbname postgres
--
-- Then give both logins a password, in psql: \password {owner} and \password {login}

do $$
begin
    if current_setting('server_version_num')::int < {least} then
        raise exception 'the server runs PostgreSQL %, and vcontract needs {least_version} or newer; nothing was done',
            current_setting('server_version');
    end if;
end
$$;

-- {owner} owns the database and migrates it; {login} serves, and owns nothing. The other two are what
-- transactions become. None of them can do more than that.
do $$
declare
    role record;
begin
    for role in
        select * from (values
            ('{owner}', 'login'), ('{login}', 'login'),
            ('{prefix}_server', 'nologin'), ('{prefix}_analyst', 'nologin')
        ) as needed (name, kind)
    loop
        if not exists (select from pg_roles where rolname = role.name) then
            execute format('create role %I %s nosuperuser nobypassrls nocreatedb nocreaterole', role.name, role.kind);
        end if;
    end loop;
    -- only a superuser may
    grant set on parameter temp_file_limit to "{prefix}_analyst";
exception when insufficient_privilege then
    raise notice 'the temporary files of analyze_query are not bounded: %', sqlerrm;
end
$$;
grant "{prefix}_analyst" to "{prefix}_server";
grant "{prefix}_server" to "{login}", "{owner}" with inherit true, set true;

select 'create database "{database}" owner "{owner}"'
where not exists (select from pg_database where datname = '{database}') \gexec
revoke connect, temporary on database "{database}" from public;
grant connect on database "{database}" to "{login}";

\connect "{database}"
create extension if not exists vector with schema public;
create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;
