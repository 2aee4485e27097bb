-- Who may call which function; applied after all of them.
--
-- Nobody but the server: a function that runs with its owner's rights may read every tenant's rows.

revoke execute on all functions in schema vcontract from public, vcontract_server, vcontract_analyst;
grant execute on all functions in schema vcontract to vcontract_server;

-- These change the schema or the counts of all tenants, or take conditions as SQL: for the owner, and for the functions
-- that know what they pass.
revoke execute on function
    vcontract.add_role, vcontract.bind_to_tenant,
    vcontract.make_embedding_partition, vcontract.recount_vocabulary,
    vcontract.few_matches, vcontract.nearest_passages, vcontract.word_matches,
    vcontract.recall_scan, vcontract.recall_nearest, vcontract.recall_candidates
    from vcontract_server;

-- The policies ask it for the tenant; it is the only function of ours that a client's query may call.
grant execute on function vcontract.current_tenant to vcontract_analyst;
