-- When each of these vCons began, its subject, and the mean of its first vectors in the searched space as pgvector sends
-- it; null where it has no vector.
select v.uuid, v.began_at, nullif(v.subject, '') as subject, m.mean
from (
    -- offset 0: each by its primary key
    select x.uuid, k.began_at, k.head ->> 'subject' as subject
    from unnest(:ids::uuid[]) x (uuid)
    cross join lateral (
        select began_at, head from vcontract.vcon where tenant = :tenant and uuid = x.uuid offset 0
    ) k
) v
cross join lateral (
    select vector_send(avg(e.vector)::vector) as mean
    from (
        select vector from vcontract.embedding
        where tenant = :tenant and kind = 'vcon' and id = v.uuid
            and space = (select s.id from vcontract.embedding_space s where s.state = 'active')
        order by part, element, chunk
        limit :passages
    ) e
) m
