-- Give a vCon exactly these passages. A text that was there keeps its vectors, at its place or at the one it moved
-- to. The worker makes those that are missing, and looks over the others: their neighbours may have changed. Those of
-- the first :turns dialogs stay as they are and are not given.
with given as (
    select * from {passage.rows}
), stored as (
    select p.part, p.element, p.chunk, p.content
    from vcontract.passage p
    where p.tenant = :tenant and p.kind = 'vcon' and p.id = :uuid and vcontract.is_embedded(p.part)
        and (p.part <> 'dialog' or p.element >= :turns::integer)
), come as (
    select g.part, g.element, g.chunk, g.content,
        row_number() over (partition by g.part, g.content order by g.element, g.chunk) as nth
    from given g
    where vcontract.is_embedded(g.part) and not exists (
        select from stored s
        where s.part = g.part and s.element = g.element and s.chunk = g.chunk and s.content = g.content
    )
), gone as (
    select s.part, s.element, s.chunk, s.content,
        row_number() over (partition by s.part, s.content order by s.element, s.chunk) as nth
    from stored s
    where not exists (
        select from given g
        where g.part = s.part and g.element = s.element and g.chunk = s.chunk and g.content = s.content
    )
), moved as (
    select c.part, c.element, c.chunk, e.space, e.vector, e.made_of
    from come c
    join gone o using (part, content, nth)
    join vcontract.embedding e
        on e.tenant = :tenant and e.kind = 'vcon' and e.id = :uuid
        and e.part = o.part and e.element = o.element and e.chunk = o.chunk
), passages as (
    {passage.upsert}
), left_over as (
    delete from vcontract.passage p
    where p.tenant = :tenant and p.kind = 'vcon' and p.id = :uuid
        and (p.part <> 'dialog' or p.element >= :turns::integer)
        and not exists (
        select from given g where g.part = p.part and g.element = p.element and g.chunk = p.chunk
    )
), stale as (
    -- where another vector comes, it is written over
    delete from vcontract.embedding e using gone o
    where e.tenant = :tenant and e.kind = 'vcon' and e.id = :uuid
        and e.part = o.part and e.element = o.element and e.chunk = o.chunk
        and not exists (
            select from moved m
            where m.part = e.part and m.element = e.element and m.chunk = e.chunk and m.space = e.space
        )
), vectors as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector, made_of)
    select :tenant, 'vcon', :uuid, m.part, m.element, m.chunk, m.space, m.vector, m.made_of from moved m
    on conflict (tenant, kind, id, part, element, chunk, space) do update set
        vector = excluded.vector, made_of = excluded.made_of
), kept as (
    select e.space
    from vcontract.embedding e
    join given g on g.part = e.part and g.element = e.element and g.chunk = e.chunk
    where e.tenant = :tenant and e.kind = 'vcon' and e.id = :uuid and not exists (
        select from gone o where o.part = e.part and o.element = e.element and o.chunk = e.chunk
    )
    union all
    select m.space from moved m
    union all
    select e.space
    from vcontract.embedding e
    where e.tenant = :tenant and e.kind = 'vcon' and e.id = :uuid
        and e.part = 'dialog' and e.element < :turns::integer
)
insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
select :tenant, 'vcon', :uuid, s.id,
    (select count(*) from given g where vcontract.is_embedded(g.part))
        + (
            select count(*)
            from vcontract.passage p
            where p.tenant = :tenant and p.kind = 'vcon' and p.id = :uuid
                and p.part = 'dialog' and p.element < :turns::integer
        )
        - (select count(*) from kept k where k.space = s.id),
    now()
from vcontract.embedding_space s
where s.state <> 'retired'
on conflict (tenant, kind, id, space) do update set
    passages = excluded.passages, due_at = excluded.due_at, claim = null, attempts = 0
