-- Give a vCon exactly these passages. Those that stayed the same keep their row and their vectors; the others are
-- a task of the worker.
with given as (
    select * from unnest(
        $3::text[], $4::integer[], $5::integer[], $6::text[], $7::tsvector[], $8::timestamptz[]
    ) as g (part, element, chunk, content, words, occurred_at)
), changed as (
    insert into vcontract.passage as p (tenant, kind, id, part, element, chunk, content, words, occurred_at)
    select $1, 'vcon', $2, g.part, g.element, g.chunk, g.content, g.words, g.occurred_at from given g
    on conflict (tenant, kind, id, part, element, chunk) do update set
        content = excluded.content, words = excluded.words, occurred_at = excluded.occurred_at
    where p.content <> excluded.content or p.occurred_at is distinct from excluded.occurred_at
    returning p.part, p.element, p.chunk
), gone as (
    delete from vcontract.passage p
    where p.tenant = $1 and p.kind = 'vcon' and p.id = $2 and not exists (
        select from given g where g.part = p.part and g.element = p.element and g.chunk = p.chunk
    )
    returning p.part, p.element, p.chunk
), stale as (
    delete from vcontract.embedding e
    where e.tenant = $1 and e.kind = 'vcon' and e.id = $2
        and (e.part, e.element, e.chunk) in (select * from changed union all select * from gone)
), missing as (
    select s.id as space, count(*) as passages
    from given g cross join vcontract.embedding_space s
    where s.state <> 'retired' and vcontract.is_embedded(g.part) and (
        (g.part, g.element, g.chunk) in (select * from changed)
        or not exists (
            select from vcontract.embedding e
            where e.tenant = $1 and e.kind = 'vcon' and e.id = $2 and e.space = s.id
                and e.part = g.part and e.element = g.element and e.chunk = g.chunk
        )
    )
    group by s.id
)
insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
select $1, 'vcon', $2, m.space, m.passages, now() from missing m
on conflict (tenant, kind, id, space) do update set
    passages = excluded.passages, due_at = excluded.due_at, claim = null, attempts = 0
