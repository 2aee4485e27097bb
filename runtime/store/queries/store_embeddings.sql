-- The vectors of one thing in one space, stored if its task is still $5's; the thing itself must be locked. $6
-- says that these are the last ones: the task is done.
with task as (
    select from vcontract.embedding_task
    where tenant = $1 and kind = $2 and id = $3 and space = $4 and claim = $5
    for update
), done as (
    delete from vcontract.embedding_task
    where tenant = $1 and kind = $2 and id = $3 and space = $4 and $6 and exists (select from task)
), stored as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector, made_of)
    select $1, $2, $3, v.part, v.element, v.chunk, $4, v.vector, v.made_of
    from unnest($7::text[], $8::integer[], $9::integer[], $10::public.halfvec[], $11::bigint[])
        as v (part, element, chunk, vector, made_of)
    where exists (select from task)
    on conflict (tenant, kind, id, part, element, chunk, space) do update set
        vector = excluded.vector, made_of = excluded.made_of
)
select exists (select from task)
