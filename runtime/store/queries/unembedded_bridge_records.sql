-- How many of these :ids, or of all records where it is null, cannot be found by meaning yet. Without an active space
-- that is every record; with one, those that have a task in it.
select case
    when s.id is null then (
        select count(*) from vcontract.search_document d
        where d.tenant = :tenant and d.kind = any(:kinds::text[]) and (:ids::uuid[] is null or d.id = any(:ids))
    )
    else (
        select count(*) from vcontract.embedding_task t
        where t.tenant = :tenant and t.kind = any(:kinds::text[]) and t.space = s.id
            and (:ids::uuid[] is null or t.id = any(:ids))
    )
end
from (select (select id from vcontract.embedding_space where state = 'active') as id) as s
