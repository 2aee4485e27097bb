-- Passages of vCons to show, each by its primary key, with the type of their analysis or the purpose of their attachment. Where
-- each dialog is a turn with its own number and no analysis is a transcript (:types), with the party who says it.
with numbered as materialized (
    select d.id from vcontract.search_document d
    where d.tenant = :tenant and d.kind = 'vcon' and d.id = any(:ids::uuid[]) and d.is_numbered and not exists (
        select from vcontract.analysis a where a.tenant = :tenant and a.vcon = d.id and a.type = any(:types))
)
select
    p.id, p.part, p.element, p.chunk, p.content, p.occurred_at, p.speaker,
    left(nullif(coalesce(a.type, t.purpose), ''), 100) as name,
    s.doc as party
from unnest(:ids::uuid[], :parts::text[], :elements::integer[], :chunks::integer[]) k (id, part, element, chunk)
cross join lateral (
    select * from vcontract.passage p
    where p.tenant = :tenant and p.kind = 'vcon' and p.id = k.id and p.part = k.part and p.element = k.element
        and p.chunk = k.chunk
    offset 0
) p
left join lateral (
    select a.type from vcontract.analysis a
    where p.part = 'analysis' and a.tenant = :tenant and a.vcon = p.id and a.index = p.element
    offset 0
) a on true
left join lateral (
    select t.purpose from vcontract.attachment t
    where p.part = 'attachment' and t.tenant = :tenant and t.vcon = p.id and t.index = p.element
    offset 0
) t on true
left join lateral (
    select s.doc from vcontract.party s
    where p.part = 'dialog' and s.tenant = :tenant and s.vcon = p.id and s.index = p.speaker
        and p.id in (select n.id from numbered n)
    offset 0
) s on true
