-- What a superuser has to do once for a store of vcontract; running it again changes nothing. For psql:
--
--     vcontract db plan | psql --set ON_ERROR_STOP=1 --dbname postgres
--
-- Then give both logins a password, in psql: \password vcontract_owner and \password vcontract_login

do $$
begin
    if current_setting('server_version_num')::int < 160000 then
        raise exception 'the server runs PostgreSQL %, and vcontract needs 16 or newer; nothing was done',
            current_setting('server_version');
    end if;
end
$$;

-- vcontract_owner owns the database and migrates it; vcontract_login serves, and owns nothing. The other two are what
-- transactions become. None of them can do more than that.
do $$
declare
    role record;
begin
    for role in
        select * from (values
            ('vcontract_owner', 'login'), ('vcontract_login', 'login'),
            ('vcontract_server', 'nologin'), ('vcontract_analyst', 'nologin')
        ) as needed (name, kind)
    loop
        if not exists (select from pg_roles where rolname = role.name) then
            execute format('create role %I %s nosuperuser nobypassrls nocreatedb nocreaterole', role.name, role.kind);
        end if;
    end loop;
    -- only a superuser may
    grant set on parameter temp_file_limit to "vcontract_analyst";
exception when insufficient_privilege then
    raise notice 'the temporary files of analyze_query are not bounded: %', sqlerrm;
end
$$;
grant "vcontract_analyst" to "vcontract_server";
grant "vcontract_server" to "vcontract_login", "vcontract_owner" with inherit true, set true;

select 'create database "vcontract" owner "vcontract_owner"'
where not exists (select from pg_database where datname = 'vcontract') \gexec
revoke connect, temporary on database "vcontract" from public;
grant connect on database "vcontract" to "vcontract_login";

\connect "vcontract"
create extension if not exists vector with schema public;
create extension if not exists pg_trgm with schema public;
create extension if not exists btree_gin with schema public;
