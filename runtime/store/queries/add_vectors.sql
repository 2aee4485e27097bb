-- Store the :vectors of passages of one thing of the index in the :space; its task there ends when no passage lacks one.
with stored as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)
    select :tenant, :kind, :id, v.part, 0, v.chunk, :space, v.vector
    from unnest(:parts::text[], :chunks::integer[], :vectors::public.halfvec[]) as v (part, chunk, vector)
    where exists (select from vcontract.embedding_space s where s.id = :space and s.state <> 'retired')
    on conflict do nothing
    returning part, chunk
)
delete from vcontract.embedding_task t
where t.tenant = :tenant and t.kind = :kind and t.id = :id and t.space = :space and not exists (
    select from vcontract.passage p
    where p.tenant = :tenant and p.kind = :kind and p.id = :id and p.element = 0
        and (p.part, p.chunk) not in (select s.part, s.chunk from stored s)
        and not exists (
            select from vcontract.embedding e
            where e.tenant = :tenant and e.kind = :kind and e.id = :id
                and e.part = p.part and e.element = 0 and e.chunk = p.chunk and e.space = :space
        )
)
