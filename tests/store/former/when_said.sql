-- A chat of months begins before a window that its turns are in: a document has the times of its first and its last turn.
alter table vcontract.search_document add column first_at timestamptz, add column last_at timestamptz;
update vcontract.search_document d set first_at = p.first_at, last_at = p.last_at
from (
    select tenant, id, min(occurred_at) as first_at, max(occurred_at) as last_at from vcontract.passage
    where kind = 'vcon' and occurred_at is not null group by tenant, id
) p
where p.tenant = d.tenant and d.kind = 'vcon' and p.id = d.id;
