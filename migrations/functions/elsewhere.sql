-- Tenants that are in another store, or on their way there.

-- Pass when the tenant of the session may be read here, or with `to_write` changed. Who moves a tenant waits for those that
-- passed to write, and none passes after that. Raises VC001, with the other store as its detail.
create or replace function vcontract.enter_tenant(to_write boolean) returns void
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant constant text := vcontract.current_tenant();
    found_store text;
begin
    if to_write then
        perform pg_advisory_xact_lock_shared(hashtext('vcontract.tenant'), hashtext(of_tenant));
    end if;
    select e.store into found_store from vcontract.elsewhere e
    where e.name = of_tenant and (to_write or not e.is_readable);
    if found then
        raise exception using errcode = 'VC001', detail = found_store, message = 'this tenant is in another store';
    end if;
end
$$;

-- The store of a tenant, as this one knows it; null for this one.
create or replace function vcontract.store_of(of_tenant text) returns text
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select e.store from vcontract.elsewhere e where e.name = of_tenant and not e.is_readable
$$;
