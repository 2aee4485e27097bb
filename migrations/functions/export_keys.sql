-- vCons from one source that share one of these keys with an export, the newest 20 of each key. It runs with its owner's
-- rights, because row security would keep PostgreSQL from the index, so it names the tenant of the session.
create or replace function vcontract.sharing_export_keys(keys text[], source text)
    returns table (key text, uuid uuid)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select k.key, v.uuid
    from unnest(keys) k (key)
    cross join lateral (
        select a.vcon as uuid, v.stored_at
        from vcontract.attachment a
        join vcontract.vcon v on v.tenant = a.tenant and v.uuid = a.vcon
        join vcontract.tag t on t.tenant = a.tenant and t.vcon = a.vcon and t.key = 'source'
            and t.value = sharing_export_keys.source
        where a.tenant = vcontract.current_tenant() and a.purpose = 'tags'
            and a.doc #> '{meta,conversation_export,keys}' is not null
            and (a.doc #> '{meta,conversation_export,keys}')::jsonb ? k.key
            and (vcontract.current_purposes() is null or vcontract.answered('vcon', a.vcon))
        order by v.stored_at desc
        limit 20
    ) v
$$;
