-- Remove what nobody can ask for any more, of every tenant: results and answers past their time, errors of
-- 90 days ago, what webhooks did not take 30 days ago, and lines of the audit that were kept long enough; how many rows.
-- Any session may do it; a row that another one has locked stays until the next time.
create or replace function vcontract.remove_expired() returns bigint
    language sql security definer set search_path = pg_catalog, pg_temp
as $$
    with results as (
        delete from vcontract.result_cache c where c.ctid = any(array(
            select e.ctid from vcontract.result_cache e where e.expires_at <= now() for update skip locked)) returning 1
    ), requests as (
        delete from vcontract.request r where r.ctid = any(array(
            select e.ctid from vcontract.request e where e.expires_at <= now() for update skip locked)) returning 1
    ), errors as (
        delete from vcontract.bridge_processing_error p where p.ctid = any(array(
            select e.ctid from vcontract.bridge_processing_error e
            where e.occurred_at < now() - interval '90 days' for update skip locked)) returning 1
    ), dead as (
        delete from vcontract.webhook_delivery d where d.ctid = any(array(
            select e.ctid from vcontract.webhook_delivery e
            where e.dead_at < now() - interval '30 days' for update skip locked)) returning 1
    ), lines as (
        delete from vcontract.audit a where a.ctid = any(array(
            select e.ctid from vcontract.audit e
            where e.at < now() - (select days from vcontract.retention where what = 'audit') * interval '1 day'
            for update skip locked)) returning 1
    )
    select (select count(*) from results) + (select count(*) from requests)
        + (select count(*) from errors) + (select count(*) from dead) + (select count(*) from lines)
$$;

-- Who has vCons that were made before a moment and are not held. It leaps from tenant to tenant.
create or replace function vcontract.tenants_with_old(before timestamptz) returns setof text
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant text := '';
begin
    loop
        select v.tenant into of_tenant from vcontract.vcon v where v.tenant > of_tenant order by v.tenant limit 1;
        exit when not found;
        if exists (
            select from vcontract.vcon v
            where v.tenant = of_tenant and v.created_at < before
                and not exists (select from vcontract.hold h where h.tenant = of_tenant and h.vcon = v.uuid)
        ) then
            return next of_tenant;
        end if;
    end loop;
end
$$;
