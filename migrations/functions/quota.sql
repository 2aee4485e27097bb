-- Quotas: how much a tenant has stored, and whether a transaction makes it more than it may.

-- How many vCons and bytes are stored: what was folded, and what has changed since.
create or replace function vcontract.usage(of_tenant text, out vcons bigint, out bytes bigint)
    language sql stable
as $$
    select coalesce(sum(s.vcons) filter (where s.about = 'vcon'), 0)::bigint,
        coalesce(sum(s.vcons) filter (where s.about = 'bytes'), 0)::bigint
    from (
        select v.about, v.vcons from vcontract.vocabulary v
        where v.tenant = of_tenant and v.about in ('vcon', 'bytes')
        union all
        select c.about, c.difference from vcontract.vocabulary_change c
        where c.tenant = of_tenant and c.about in ('vcon', 'bytes')
    ) s
$$;

-- Say how much a tenant may store; without a number of either it has no quota. Whoever writes meanwhile is waited for, so
-- that nothing is stored without being counted.
create or replace function vcontract.set_quota(of_tenant text, most_vcons bigint, most_bytes bigint) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    lock table vcontract.vocabulary_change in share row exclusive mode;
    delete from vcontract.quota q where q.tenant = of_tenant;
    if most_vcons is not null or most_bytes is not null then
        insert into vcontract.quota (tenant, vcons, bytes, used_vcons, used_bytes)
        select of_tenant, most_vcons, most_bytes, u.vcons, u.bytes from vcontract.usage(of_tenant) u;
    end if;
end
$$;

-- What is wrong with committing now, as `{of, used, adds, allowed}`; null when nothing is. Asked as the last thing of a
-- transaction: those of a tenant with a quota that store or remove something commit one after the other from here on, so
-- that none passes it beside another. What takes away may always commit.
create or replace function vcontract.over_quota() returns jsonb
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant constant text := vcontract.current_tenant();
    adds_vcons bigint;
    adds_bytes bigint;
    quota vcontract.quota;
begin
    if not exists (select from vcontract.quota q where q.tenant = of_tenant) then
        return null;
    end if;
    select coalesce(sum(c.difference) filter (where c.about = 'vcon'), 0),
        coalesce(sum(c.difference) filter (where c.about = 'bytes'), 0)
    into adds_vcons, adds_bytes
    from vcontract.vocabulary_change c
    where c.tenant = of_tenant and c.transaction = pg_current_xact_id() and c.about in ('vcon', 'bytes');
    if adds_vcons = 0 and adds_bytes = 0 then
        return null;
    end if;
    update vcontract.quota q set used_vcons = q.used_vcons + adds_vcons, used_bytes = q.used_bytes + adds_bytes
    where q.tenant = of_tenant
    returning q.* into quota;
    return case
        when adds_vcons > 0 and quota.used_vcons > quota.vcons then jsonb_build_object(
            'of', 'vcons', 'used', quota.used_vcons - adds_vcons, 'adds', adds_vcons, 'allowed', quota.vcons)
        when adds_bytes > 0 and quota.used_bytes > quota.bytes then jsonb_build_object(
            'of', 'bytes', 'used', quota.used_bytes - adds_bytes, 'adds', adds_bytes, 'allowed', quota.bytes)
        end;
end
$$;
