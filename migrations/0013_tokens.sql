-- Bearer tokens of the HTTP server: whose rows a bearer sees and what it may do. Only a digest is kept, so that nobody
-- who reads the table can use a token. It belongs to the deployment, and the server's role reaches it by the functions
-- of functions/tokens.sql alone.

create table vcontract.token (
    id text primary key,
    digest bytea not null unique,
    name text not null,
    tenant text not null,
    scopes text[] not null check (scopes <@ array['read', 'write', 'admin'] and cardinality(scopes) > 0),
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);
-- a name is free again once its token was revoked
create unique index token_name on vcontract.token (name) where revoked_at is null;
