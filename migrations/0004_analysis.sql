-- A role for queries that a client wrote: analyze_query runs them. It may read what conversations were taken apart into, of one tenant, and
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
