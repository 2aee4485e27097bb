-- When a tenant was removed. Nobody can take back the access tokens that an issuer made before: they are of no use by this.
-- It belongs to the deployment, and the server's role reaches it by the functions of functions/tokens.sql alone.

create table vcontract.removed_tenant (
    name text primary key,
    removed_at timestamptz not null
);
