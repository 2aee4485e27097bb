-- Of the first :most vCons, in the order of a hash, what each is about, by its subject or else the first words of its
-- summary, and the mean of its first vectors.
select
    v.uuid,
    coalesce(nullif(v.subject, ''), (
        select left(e.doc ->> 'body', 120) from vcontract.analysis e
        where e.tenant = :tenant and e.vcon = v.uuid and lower(e.type) = 'summary'
            and json_typeof(e.doc -> 'body') = 'string' and coalesce(e.doc ->> 'encoding', 'none') = 'none'
        order by e.index
        limit 1
    )) as subject,
    m.mean::real[] as vector
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
