-- Who may call which function, what is made after the tables, and whose everything is; applied after all functions.
--
-- Nobody but the server: a function that runs with its owner's rights may read every tenant's rows.

revoke execute on all functions in schema vcontract from public, vcontract_server, vcontract_analyst;
grant execute on all functions in schema vcontract to vcontract_server;

-- These change the schema or the counts of all tenants, or take conditions as SQL: for the owner, and for the functions
-- that know what they pass.
revoke execute on function
    vcontract.add_role, vcontract.bind_to_consent, vcontract.bind_to_tenant,
    vcontract.make_embedding_partition, vcontract.recount_vocabulary, vcontract.set_quota,
    vcontract.few_matches
    from vcontract_server;

-- The policies ask them for the tenant and for consent; they are the only functions of ours that a client's query may call.
grant execute on function
    vcontract.current_tenant, vcontract.current_purposes, vcontract.answered, vcontract.nothing_withheld
    to vcontract_analyst;

-- A query of a client bounds its own temporary files where this may be granted, which takes a superuser.
do $$
begin
    if not has_parameter_privilege('vcontract_analyst', 'temp_file_limit', 'set') then
        grant set on parameter temp_file_limit to vcontract_analyst;
    end if;
exception when insufficient_privilege then
    null;
end
$$;

-- Tables without rows beside those that a query of a client may read, alike in all else: a plan on these tells nothing
-- of what anybody has stored.
create schema vcontract_blank;
grant usage on schema vcontract_blank to vcontract_analyst;
do $$
declare
    original record;
begin
    for original in
        select c.oid, c.relname as name, c.relrowsecurity as is_bound from pg_class c
        where c.relnamespace = 'vcontract'::regnamespace and c.relkind in ('r', 'p')
            and has_table_privilege('vcontract_analyst', c.oid, 'select')
    loop
        execute format('create table vcontract_blank.%1$I (like vcontract.%1$I including all)', original.name);
        execute format('alter table vcontract_blank.%I set (autovacuum_enabled = off)', original.name);
        execute format('grant select on vcontract_blank.%I to vcontract_analyst', original.name);
        if original.is_bound then
            execute format('alter table vcontract_blank.%I enable row level security', original.name);
            execute format('create policy own_tenant on vcontract_blank.%I to vcontract_analyst '
                'using (tenant = (select vcontract.current_tenant()))', original.name);
        end if;
    end loop;
    for original in
        select c.oid, c.relname as name from pg_class c
        where c.relnamespace = 'vcontract'::regnamespace and c.relkind = 'v'
            and has_table_privilege('vcontract_analyst', c.oid, 'select')
    loop
        execute format('create view vcontract_blank.%I with (security_invoker = true) as %s', original.name,
            replace(pg_get_viewdef(original.oid), 'vcontract.', 'vcontract_blank.'));
        execute format('grant select on vcontract_blank.%I to vcontract_analyst', original.name);
    end loop;
    -- plans name the indexes, and copies of these have other names
    for original in
        select o.indexrelid::regclass as copy, n.relname as name
        from pg_index i
        join pg_class n on n.oid = i.indexrelid
        join pg_class t on t.oid = i.indrelid and t.relnamespace = 'vcontract'::regnamespace
        join pg_class b on b.relname = t.relname and b.relnamespace = 'vcontract_blank'::regnamespace
        join pg_index o on o.indrelid = b.oid and substring(pg_get_indexdef(o.indexrelid) from ' USING .*')
            = substring(pg_get_indexdef(i.indexrelid) from ' USING .*')
        where o.indexrelid::regclass::text <> 'vcontract_blank.' || n.relname
    loop
        execute format('alter index %s rename to %I', original.copy, original.name);
    end loop;
end
$$;

-- What a superuser migrates belongs to a role that owns these schemas and may do nothing else: functions run with its
-- rights, not with the superuser's. An ordinary owner keeps what is its own. Nobody makes tables of their own: what a
-- session puts into its temporary schema could pass for ours.
do $$
declare
    ours constant oid[] := array['vcontract'::regnamespace, 'vcontract_blank'::regnamespace];
    statement text;
begin
    if not (select rolsuper from pg_roles where rolname = current_user) then
        return;
    end if;
    begin
        create role vcontract_owner nologin nosuperuser nobypassrls nocreatedb nocreaterole;
    exception when duplicate_object or unique_violation then
        null;
    end;
    for statement in
        select format('alter schema %I owner to vcontract_owner', nspname)
        from pg_namespace
        where oid = any(ours) and nspowner <> 'vcontract_owner'::regrole
        union all
        select format('alter %s %s owner to vcontract_owner',
            case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
            oid::regclass)
        from pg_class
        where relnamespace = any(ours) and relkind in ('r', 'p', 'v', 'm', 'S')
            and relowner <> 'vcontract_owner'::regrole
        union all
        select format('alter statistics %s.%I owner to vcontract_owner', stxnamespace::regnamespace, stxname)
        from pg_statistic_ext
        where stxnamespace = any(ours) and stxowner <> 'vcontract_owner'::regrole
        union all
        select format('alter routine %s owner to vcontract_owner', oid::regprocedure)
        from pg_proc
        where pronamespace = any(ours) and proowner <> 'vcontract_owner'::regrole
    loop
        execute statement;
    end loop;
    execute format('revoke temporary on database %I from public', current_database());
end
$$;
