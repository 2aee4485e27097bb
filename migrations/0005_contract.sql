-- What the contract tools count: taxonomy, graph of what occurs together, dealers.

-- What a vCon has, each once, as <about>:<name>. About is analysis (a type), attachment (an effective purpose),
-- dialog (a type), role (of a party), extension, tag (a key), or field (one that is filled).
alter table vcontract.vcon add column features text[] not null default '{}';
-- A sample is the first vCons in the order of a hash, so the same ones each time.
create index vcon_sample on vcontract.vcon (tenant, uuid_hash(uuid), uuid);

-- In how many vCons something is. About is vcon (all of them), one of features, vendor (type and vendor of an
-- analysis), value and value_type (of a tag key), long_value (a value too long to list, by its digest), or
-- distinct_values (of a tag key; no vCons, but values). A count is this row and all changes that name it.
create table vcontract.vocabulary (
    tenant text not null,
    about text not null,
    name text collate "C" not null,
    detail text collate "C" not null,
    vcons bigint not null,
    primary key (tenant, about, name, detail)
);
create index vocabulary_most_used on vcontract.vocabulary (tenant, name, vcons desc, detail) where about = 'value';

-- Differences that are not in vocabulary yet. Writers only insert, so that no two of them wait for one count.
create table vcontract.vocabulary_change (
    tenant text not null,
    id uuid not null default gen_random_uuid(),
    about text not null,
    name text collate "C" not null,
    detail text collate "C" not null,
    difference bigint not null,
    primary key (tenant, id)
);
create index vocabulary_change_about on vcontract.vocabulary_change (tenant, about, name);

select vcontract.bind_to_tenant('vocabulary', 'vocabulary_change');
revoke insert, update, delete on vcontract.vocabulary from vcontract_server;
revoke update, delete on vcontract.vocabulary_change from vcontract_server;

-- For readers of older names. The caller's rights and row level security hold through it, and the second table,
-- of one row, has PostgreSQL refuse to write through it.
create view vcontract.vcons_legacy with (security_invoker = true) as
select v.*, v.head -> 'critical' as must_support, v.head -> 'amended' as appended
from vcontract.vcon v
cross join (select) as nothing_to_write;
grant select on vcontract.vcons_legacy to vcontract_server, vcontract_analyst;
