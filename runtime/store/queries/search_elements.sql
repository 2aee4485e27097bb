-- The best places of things that match, whole, and how many there are: one row without a place when the page begins
-- behind them all.
with hit as materialized (
    select p.*, d.occurred_at
    from vcontract.search_hits(:ids, :words::jsonb, :kind, null, null, null, 0, :most_of_vcon) p
    join vcontract.search_document d on d.tenant = :tenant and d.kind = :kind and d.id = p.id
    where p.part is not null
)
select (select count(*) from hit) as places, page.*
from (select) as one
left join (
    select * from hit
    order by score desc, occurred_at desc, id desc, part, element
    limit :most offset :offset
) page on true
order by page.score desc, page.occurred_at desc, page.id desc, page.part, page.element
