-- Leave a delivery of :event of these vCons to each webhook of the tenant that asked for it; its tags have to be among
-- those that the vCon has now.
insert into vcontract.webhook_delivery (tenant, webhook, id, event, vcon, at, due_at)
select :tenant, w.id, gen_random_uuid(), :event::text, v.uuid, statement_timestamp(), statement_timestamp()
from vcontract.webhook w
cross join unnest(:vcons::uuid[]) v (uuid)
where w.tenant = :tenant and :event = any(w.events) and not exists (
    select from jsonb_each_text(w.tags) f
    where not exists (
        select from vcontract.tag t
        where t.tenant = :tenant and t.vcon = v.uuid and t.key = f.key and t.value = f.value
    )
)
