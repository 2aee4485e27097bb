-- Who bears the token with this digest: no row for one that is unknown, expired or revoked, whichever it is. is_unnoted
-- says that its use was not noted in the last minute.
create or replace function vcontract.bearer(sought bytea)
    returns table (id text, name text, tenant text, scopes text[], purposes text[], is_unnoted boolean)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select t.id, t.name, t.tenant, t.scopes, t.purposes,
        t.last_used_at is null or t.last_used_at < now() - interval '1 minute'
    from vcontract.token t
    where t.digest = sought and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
$$;

-- Whether anybody may come with a token.
create or replace function vcontract.has_tokens() returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select exists (
        select from vcontract.token t where t.revoked_at is null and (t.expires_at is null or t.expires_at > now()))
$$;

-- Note that a token is in use, to the minute: of several that note it at once, one does.
create or replace function vcontract.note_token_use(used text) returns void
    language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
    update vcontract.token t set last_used_at = now()
    where t.id = used and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
$$;

-- When the tenants of these names were removed, of those that were.
create or replace function vcontract.removed_tenants(names text[])
    returns table (name text, removed_at timestamptz)
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select r.name, r.removed_at from vcontract.removed_tenant r where r.name = any(names)
$$;
