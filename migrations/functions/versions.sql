-- Versions of vCons. It runs with its owner's rights, because row security would keep PostgreSQL from the index, so it
-- names the tenant of the session.

-- What was made of a vCon by amending it. A version that is redacted shows less, so it is none of these.
create or replace function vcontract.amended_versions(earlier uuid) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select v.uuid from vcontract.vcon v
    where v.tenant = vcontract.current_tenant()
        and lower(left(v.head #>> '{amended,uuid}', 36)) = earlier::text
        and length(v.head #>> '{amended,uuid}') = 36
        and coalesce((v.head -> 'redacted')::text, 'null') in ('null', '{}')
        and (vcontract.current_purposes() is null or vcontract.answered('vcon', v.uuid))
$$;
