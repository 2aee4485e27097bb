-- Let a new reflection be found: its document, its passages, and their :vectors in the :space when they are given; for
-- every other space they wait to be embedded. Its bytes count from now on.
with counted as (
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select :tenant, 'bytes', '', '', bytes from vcontract.reflection where tenant = :tenant and id = :id
), document as (
    insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
    values (:tenant, 'reflection', :id, :stored_at, :words)
), passages as (
    insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words, occurred_at)
    select :tenant, 'reflection', :id, 'text', 0, p.chunk, p.content, p.words, :stored_at
    from unnest(:chunks::integer[], :contents::text[], :passage_words::tsvector[]) as p (chunk, content, words)
), spaces as (
    select s.id from vcontract.embedding_space s where s.state <> 'retired'
), vectors as (
    insert into vcontract.embedding (tenant, kind, id, part, element, chunk, space, vector)
    select :tenant, 'reflection', :id, 'text', 0, v.chunk, :space, v.vector
    from unnest(:chunks::integer[], :vectors::public.halfvec[]) as v (chunk, vector)
    where exists (select from spaces where id = :space)
    returning space
), tasks as (
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select :tenant, 'reflection', :id, s.id, cardinality(:chunks::integer[]), now() from spaces s
    where s.id is distinct from :space
)
select exists (select from vectors)
