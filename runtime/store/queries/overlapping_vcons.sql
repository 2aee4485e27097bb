-- vCons from one source that may have some of these turns: at their beginning, at their end, or, where they
-- cover more time and have the same people, somewhere.
with said as materialized (select * from unnest(:starts::text[], :bodies::text[]) s (start, body)),
near as materialized (
    select d.id, d.first_at, d.last_at,
        (select max(g.index) from vcontract.dialog g where g.tenant = :tenant and g.vcon = d.id) as final
    from vcontract.tag t
    join vcontract.search_document d on d.tenant = t.tenant and d.kind = 'vcon' and d.id = t.vcon
    where t.tenant = :tenant and t.key = 'source' and left(t.value, 256) = :source
        and coalesce(d.first_at, d.occurred_at) <= :last and coalesce(d.last_at, d.occurred_at) >= :first
)
select n.id from near n
where exists (
    select from vcontract.dialog g
    where g.tenant = :tenant and g.vcon = n.id and g.index = any(array[0, 1, 2, n.final - 2, n.final - 1, n.final])
        and (g.doc ->> 'start', g.doc ->> 'body') in (select s.start, s.body from said s)
) or n.first_at < :first and n.last_at > :last and not exists (
    select from unnest(:names::text[]) u (name)
    where not exists (select from vcontract.party p where p.tenant = :tenant and p.vcon = n.id and p.name_folded = u.name)
) and exists (
    select from vcontract.dialog g
    where g.tenant = :tenant and g.vcon = n.id
        and (g.doc ->> 'start', g.doc ->> 'body') in (select s.start, s.body from said s)
)
limit 20
