-- What a tenant has stored, in bytes, and how much it may store.

-- A vCon as compact JSON, with its signed form and the metadata beside it.
alter table vcontract.vcon add column bytes bigint not null default 0;
update vcontract.vcon v set bytes = octet_length(v.head::text) + coalesce(octet_length(v.signed_form), 0)
    + (select coalesce(sum(octet_length(e.doc::text)), 0) from (
        select doc from vcontract.party where tenant = v.tenant and vcon = v.uuid
        union all
        select doc from vcontract.dialog where tenant = v.tenant and vcon = v.uuid
        union all
        select doc from vcontract.analysis where tenant = v.tenant and vcon = v.uuid
        union all
        select doc from vcontract.attachment where tenant = v.tenant and vcon = v.uuid
    ) e);
alter table vcontract.vcon alter column bytes drop default;
alter table vcontract.reflection
    add column bytes integer not null generated always as (octet_length(content)) stored;
alter table vcontract.bridge_record
    add column bytes integer not null generated always as (
        octet_length(coalesce(content, '')) + octet_length(coalesce(summary, ''))
        + octet_length(coalesce(narrative, ''))
    ) stored;

-- Bytes are counted where vCons are: about `bytes`, in place of a number of vCons. A transaction knows its own changes.
alter table vcontract.vocabulary_change add column transaction xid8 not null default pg_current_xact_id();
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select s.tenant, 'bytes', '', '', sum(s.bytes)
from (
    select tenant, bytes from vcontract.vcon
    union all
    select tenant, octet_length(key) + octet_length(value) from vcontract.tag
    union all
    select tenant, archive_size from vcontract.transcript
    union all
    select tenant, bytes from vcontract.reflection
    union all
    select tenant, bytes from vcontract.bridge_record
) s
group by s.tenant
having sum(s.bytes) > 0;

create index vocabulary_change_usage on vcontract.vocabulary_change (tenant, transaction)
    where about in ('vcon', 'bytes');

-- How much a tenant may store, null without bound, and how much it has. Whoever owns the schema says it.
create table vcontract.quota (
    tenant text primary key,
    vcons bigint check (vcons >= 0),
    bytes bigint check (bytes >= 0),
    used_vcons bigint not null,
    used_bytes bigint not null
);
select vcontract.bind_to_tenant('quota');
revoke insert, update, delete on vcontract.quota from vcontract_server;
