-- What a tenant remembers, the size of all tables with their indexes, and its and everybody's share in them.
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
    (select count(*) from vcontract.search_document where tenant = :tenant) as own_things,
    vcontract.count_rows('search_document') as all_things,
    (
        select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
        where c.relnamespace = 'vcontract'::regnamespace and c.relkind = 'r'
    ) as table_bytes,
    (select coalesce(sum(archive_size), 0)::bigint from vcontract.transcript where tenant = :tenant) as archive_bytes
