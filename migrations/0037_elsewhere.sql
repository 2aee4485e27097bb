-- Tenants whose rows are not here: where they are, or go to. It belongs to the deployment, and the server's role reaches it
-- by the functions of functions/elsewhere.sql alone.

create table vcontract.elsewhere (
    name text primary key,
    store text not null,
    -- its rows are still here, and read here: it is being moved
    is_readable boolean not null
);
