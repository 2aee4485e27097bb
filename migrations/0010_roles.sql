-- A login that is a member of vcontract_server can serve, and needs no other right.

grant select on vcontract.migration, vcontract.function_file to vcontract_server;

do $$
begin
    -- analyze_query becomes vcontract_analyst, which may do less
    if not pg_has_role('vcontract_server', 'vcontract_analyst', 'member') then
        grant vcontract_analyst to vcontract_server;
    end if;
end
$$;
