-- When a conversation began: its earliest dialog, else created_at. Lists, filters and counts by date use it.
set local timezone to 'UTC';
alter table vcontract.vcon add column began_at timestamptz;
update vcontract.vcon v set began_at = coalesce(d.began_at, v.created_at)
from vcontract.vcon o
left join (
    select s.tenant, s.vcon, min(s.at) filter (where s.at not in ('0001-01-01', '1970-01-01')) as began_at
    from (
        select d.tenant, d.vcon,
            case when d.doc ->> 'start' ~ '^\d{4}-\d\d-\d\d([Tt ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?)?$'
                and pg_input_is_valid(d.doc ->> 'start', 'timestamptz') then (d.doc ->> 'start')::timestamptz end as at
        from vcontract.dialog d
    ) s
    group by s.tenant, s.vcon
) d on d.tenant = o.tenant and d.vcon = o.uuid
where o.tenant = v.tenant and o.uuid = v.uuid;
alter table vcontract.vcon alter column began_at set not null;
drop index vcontract.vcon_newest;
create index vcon_newest on vcontract.vcon (tenant, began_at desc, uuid desc);
-- Retention deletes by created_at.
create index vcon_created on vcontract.vcon (tenant, created_at);
update vcontract.search_document d set occurred_at = v.began_at
from vcontract.vcon v
where d.tenant = v.tenant and d.kind = 'vcon' and d.id = v.uuid and d.occurred_at <> v.began_at;
-- Many rows may have been written anew: without this a search reads what came to its index one by one.
select gin_clean_pending_list('vcontract.search_document_words'::regclass);
