-- Versions of vCons. It runs with its owner's rights, because row security would keep PostgreSQL from the index, so it
-- names the tenant of the session.

-- The reference of a vCon to the version that it adds to: amended_from since 0.5.0, amended before.
create or replace function vcontract.amended_from(head json) returns json
    language sql immutable parallel safe
as $$ select coalesce(head -> 'amended_from', head -> 'amended') $$;

-- The reference of a vCon to the version that it was redacted from: redacted_from since 0.5.0, redacted before.
create or replace function vcontract.redacted_from(head json) returns json
    language sql immutable parallel safe
as $$ select coalesce(head -> 'redacted_from', head -> 'redacted') $$;

-- What was made of a vCon by amending it. A version that is redacted shows less, so it is none of these.
create or replace function vcontract.amended_versions(earlier uuid) returns setof uuid
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select v.uuid from vcontract.vcon v
    where v.tenant = vcontract.current_tenant()
        and lower(left(coalesce(v.head -> 'amended_from', v.head -> 'amended') ->> 'uuid', 36)) = earlier::text
        and length(vcontract.amended_from(v.head) ->> 'uuid') = 36
        and coalesce(vcontract.redacted_from(v.head)::text, 'null') in ('null', '{}')
        and (vcontract.current_purposes() is null or vcontract.answered('vcon', v.uuid))
$$;

-- The vCons for which another stored one stands when conversations are counted: what a vCon amends that is not redacted,
-- and what was redacted from a stored vCon.
create or replace function vcontract.superseded_versions() returns setof uuid
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select case when n.relation = 'amended' then e.uuid else n.uuid end
    from (
        select v.uuid, 'amended' as relation, lower(vcontract.amended_from(v.head) ->> 'uuid') as earlier from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and lower(left(coalesce(v.head -> 'amended_from', v.head -> 'amended') ->> 'uuid', 36)) is not null
            and coalesce(vcontract.redacted_from(v.head)::text, 'null') in ('null', '{}')
        union all
        select v.uuid, 'redacted', lower(vcontract.redacted_from(v.head) ->> 'uuid') from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and lower(left(coalesce(v.head -> 'redacted_from', v.head -> 'redacted') ->> 'uuid', 36)) is not null
    ) n
    cross join lateral (
        select e.uuid from vcontract.vcon e
        where e.tenant = vcontract.current_tenant() and e.uuid <> n.uuid
            and e.uuid = case when n.earlier ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then n.earlier::uuid end
        offset 0 -- has each read by its key: nobody knows beforehand that there are few
    ) e
    where vcontract.current_purposes() is null
        or (vcontract.answered('vcon', n.uuid) and vcontract.answered('vcon', e.uuid))
$$;

-- What vCons say of others that is about some of them, whoever says it: the vCon that says so amends, redacts or groups
-- (`group`) the other.
create or replace function vcontract.relations_of(uuids uuid[]) returns table (source uuid, relation text, target uuid)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    with speaking as (
        select unnest(uuids) as uuid
        union
        select v.uuid from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and lower(left(coalesce(v.head -> 'amended_from', v.head -> 'amended') ->> 'uuid', 36)) = any(uuids::text[])
        union
        select v.uuid from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and lower(left(coalesce(v.head -> 'redacted_from', v.head -> 'redacted') ->> 'uuid', 36)) = any(uuids::text[])
        union
        select v.uuid from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and (v.head -> 'group')::text not in ('[]', 'null')
            and vcontract.group_uuids(v.head) && uuids::text[]
    )
    select v.uuid, s.relation, s.target::uuid
    from speaking
    cross join lateral (
        select v.uuid, v.head from vcontract.vcon v
        where v.tenant = vcontract.current_tenant() and v.uuid = speaking.uuid
        offset 0 -- has each read by its key: nobody knows beforehand that few speak
    ) v
    cross join lateral (
        select r.relation, lower(r.reference ->> 'uuid') as target
        from (values ('amended', vcontract.amended_from(v.head)), ('redacted', vcontract.redacted_from(v.head)))
            r (relation, reference)
        union all
        select 'group', g from unnest(vcontract.group_uuids(v.head)) g
    ) s
    where (vcontract.current_purposes() is null or vcontract.answered('vcon', v.uuid))
        and case when s.target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
            v.uuid = any(uuids) or s.target::uuid = any(uuids) end
$$;
