-- Webhooks of all tenants to which something is due, for one process to deliver until the lease is over: they rest so long
-- for the others. They give out what was meant to be sent there and by whom, to the server alone.
create or replace function vcontract.claim_webhooks(most integer, lease interval)
    returns table (tenant text, id text, url text, secret bytea, sends_vcon boolean)
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    update vcontract.webhook w set rests_until = now() + lease
    where w.ctid = any(array(
        select c.ctid from vcontract.webhook c
        where c.rests_until <= now() and exists (
            select from vcontract.webhook_delivery d
            where d.tenant = c.tenant and d.webhook = c.id and d.dead_at is null and d.due_at <= now()
        )
        order by c.rests_until limit most
        for update skip locked
    ))
    returning w.tenant, w.id, w.url, w.secret, w.sends_vcon
$$;
