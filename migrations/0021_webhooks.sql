-- Who wants to hear of changes of a tenant's vCons, and what is still to be said to whom: written in the transaction of
-- each change, so that nothing that was acknowledged goes unsaid.

create table vcontract.webhook (
    tenant text not null,
    id text not null,
    url text not null,
    -- Signs what is sent, so it cannot be a digest.
    secret bytea not null,
    events text[] not null check (cardinality(events) > 0),
    -- A vCon has to have all of these.
    tags jsonb not null,
    sends_vcon boolean not null,
    created_at timestamptz not null default now(),
    delivered bigint not null default 0,
    delivered_at timestamptz,
    -- Failures since anything was taken; nothing is tried before it has rested.
    failures integer not null default 0,
    rests_until timestamptz not null default now(),
    primary key (tenant, id)
);

-- What was delivered goes; what was tried often enough is dead, and stays for a while.
create table vcontract.webhook_delivery (
    tenant text not null,
    webhook text not null,
    id uuid not null,
    event text not null,
    vcon uuid not null,
    at timestamptz not null,
    due_at timestamptz not null,
    attempts integer not null default 0,
    failure text,
    dead_at timestamptz,
    primary key (tenant, webhook, id),
    foreign key (tenant, webhook) references vcontract.webhook on delete cascade
);
create index webhook_delivery_due on vcontract.webhook_delivery (tenant, webhook, due_at, at) where dead_at is null;
create index webhook_delivery_dead on vcontract.webhook_delivery (dead_at) where dead_at is not null;

select vcontract.bind_to_tenant('webhook', 'webhook_delivery');
-- Whoever owns the schema says where conversations go; the server notes how that went.
revoke insert, update, delete on vcontract.webhook from vcontract_server;
grant update (delivered, delivered_at, failures, rests_until) on vcontract.webhook to vcontract_server;
