-- Of the first :most vCons, in the order of a hash, what each is about and the mean of its first vectors.
select v.uuid, v.subject, m.mean::real[] as vector
from (
    select uuid, head ->> 'subject' as subject from vcontract.vcon
    where tenant = :tenant
    order by uuid_hash(uuid), uuid
    limit :most
) v
cross join lateral (
    select avg(e.vector) as mean
    from (
        select vector from vcontract.embedding
        where tenant = :tenant and kind = 'vcon' and id = v.uuid
            and space = (select s.id from vcontract.embedding_space s where s.state = 'active')
        order by part, element, chunk
        limit :passages
    ) e
) m
where m.mean is not null
