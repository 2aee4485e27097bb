-- How many calls a caller made lately, as each process has told: so that those of all processes count together. A slot is
-- a part of a window of time, by its number since 1970; caller is a digest of its name. A crash may empty the table: it
-- costs more to keep than it is worth.

create unlogged table vcontract.rate_use (
    tenant text not null,
    caller bytea not null,
    class text not null,
    slot bigint not null,
    calls integer not null,
    expires_at timestamptz not null,
    primary key (tenant, caller, class, slot)
);
create index rate_use_expires on vcontract.rate_use (expires_at);

select vcontract.bind_to_tenant('rate_use');
