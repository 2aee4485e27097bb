-- The :vectors of one thing in one :space, stored if its task still has this :claim; the thing itself must be locked.
-- :is_last says that these are the last ones: the task is done. Else anybody may take what is left of it.
with task as (
    select from vcontract.embedding_task
    where tenant = :tenant and kind = :kind and id = :id and space = :space and claim = :claim
    for update
), done as (
    delete from vcontract.embedding_task
    where tenant = :tenant and kind = :kind and id = :id and space = :space and :is_last and exists (select from task)
), left_over as (
    update vcontract.embedding_task
    set passages = greatest(passages - :added::integer, 0), due_at = now(), claim = null, attempts = 0
    where tenant = :tenant and kind = :kind and id = :id and space = :space and not :is_last
        and exists (select from task)
), stored as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector, made_of)
    select :tenant, :kind, :id, v.part, v.element, v.chunk, :space, v.vector, v.made_of
    from unnest(
        :parts::text[], :elements::integer[], :chunks::integer[], :vectors::public.halfvec[], :made_of::bigint[]
    ) as v (part, element, chunk, vector, made_of)
    where exists (select from task)
    on conflict (tenant, kind, id, part, element, chunk, space) do update set
        vector = excluded.vector, made_of = excluded.made_of
)
select exists (select from task)
