-- What a tenant remembers. Only of rows that the session may read: sizes of tables would tell of others.
select
    (select count(*) from vcontract.vcon where tenant = :tenant) as conversations,
    (select count(*) from vcontract.reflection where tenant = :tenant) as reflections,
    (select count(*) from vcontract.project where tenant = :tenant) + (
        select count(*) from (
            select vcontract.without_case(t.project) as name from vcontract.transcript t
            where t.tenant = :tenant and t.project <> 'unknown'
            union
            select vcontract.without_case(g.value) from vcontract.tag g where g.tenant = :tenant and g.key = 'project'
            and not exists (select from vcontract.transcript t where t.tenant = :tenant and t.vcon = g.vcon)
        ) n where not exists (
            select from vcontract.project p where p.tenant = :tenant and p.name_folded = n.name
        )
    ) as projects,
    (select min(began_at) from vcontract.vcon where tenant = :tenant) as oldest,
    (select max(began_at) from vcontract.vcon where tenant = :tenant) as newest,
    (
        select coalesce(sum(b.bytes), 0)::bigint from (
            select v.vcons as bytes from vcontract.vocabulary v where v.tenant = :tenant and v.about = 'bytes'
            union all
            select c.difference from vcontract.counted_change c where c.tenant = :tenant and c.about = 'bytes'
        ) b
    ) as bytes
