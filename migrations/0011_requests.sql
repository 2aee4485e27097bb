-- Calls under a key of their caller: what they were asked, as a digest of their arguments, and what they answered, so
-- that the same call under the same key is answered and not done again. reading is what a model reads, where that is
-- not the answer itself. A row is written by the transaction that does what the call asks.

create table vcontract.request (
    tenant text not null,
    tool text not null,
    key text not null,
    arguments bytea not null,
    answer text,
    reading text,
    expires_at timestamptz not null,
    primary key (tenant, tool, key)
);
create index request_expires on vcontract.request (expires_at);

select vcontract.bind_to_tenant('request');
