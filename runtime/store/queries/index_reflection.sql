-- Let a new reflection be found: its document, its passages, and their vectors in the space $8 when they are given;
-- for every other space they wait to be embedded.
with document as (
    insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
    values ($1, 'reflection', $2, $3, $4)
), passages as (
    insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words, occurred_at)
    select $1, 'reflection', $2, 'text', 0, p.chunk, p.content, p.words, $3
    from unnest($5::integer[], $6::text[], $7::tsvector[]) as p (chunk, content, words)
), spaces as (
    select s.id from vcontract.embedding_space s where s.state <> 'retired'
), vectors as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)
    select $1, 'reflection', $2, 'text', 0, v.chunk, $8, v.vector
    from unnest($5::integer[], $9::public.halfvec[]) as v (chunk, vector)
    where exists (select from spaces where id = $8)
    returning space
), tasks as (
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select $1, 'reflection', $2, s.id, cardinality($5::integer[]), now() from spaces s
    where s.id is distinct from $8
)
select exists (select from vectors)
