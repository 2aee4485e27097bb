-- Give one thing of the index exactly these passages, keeping the vectors of those that stay as they are: a changed
-- text loses its vector and becomes a task, so that no stale one can be matched.
with given as (
    select * from unnest(:parts::text[], :chunks::integer[], :contents::text[], :passage_words::tsvector[])
        as g (part, chunk, content, words)
), kept as (
    select p.part, p.chunk from vcontract.passage p join given g using (part, chunk)
    where p.tenant = :tenant and p.kind = :kind and p.id = :id and p.element = 0 and p.content = g.content
), gone as (
    delete from vcontract.passage p
    where p.tenant = :tenant and p.kind = :kind and p.id = :id
        and (p.part, p.chunk) not in (select g.part, g.chunk from given g)
), stale as (
    delete from vcontract.embedding e
    where e.tenant = :tenant and e.kind = :kind and e.id = :id
        and (e.part, e.chunk) not in (select k.part, k.chunk from kept k)
), document as (
    insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
    values (:tenant, :kind, :id, :occurred_at, :words)
    on conflict (tenant, kind, id) do update set occurred_at = excluded.occurred_at, words = excluded.words
), passages as (
    insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words, occurred_at)
    select :tenant, :kind, :id, g.part, 0, g.chunk, g.content, g.words, :occurred_at from given g
    on conflict (tenant, kind, id, part, element, chunk) do update set
        content = excluded.content, words = excluded.words, occurred_at = excluded.occurred_at
)
insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
select :tenant, :kind, :id, s.id, (select count(*) from given), now()
from vcontract.embedding_space s
where s.state <> 'retired' and exists (
    select from given g where (g.part, g.chunk) not in (select k.part, k.chunk from kept k)
)
on conflict (tenant, kind, id, space) do update set
    passages = excluded.passages, due_at = excluded.due_at, claim = null, attempts = 0
