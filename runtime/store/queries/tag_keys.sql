-- Every tag key in use. Each step finds the next key by the index, so the cost is the number of keys, not of tags.
with recursive keys (key) as (
    (select key from vcontract.tag where tenant = :tenant order by key limit 1)
    union all
    select (
        select t.key from vcontract.tag t where t.tenant = :tenant and t.key > k.key order by t.key limit 1
    )
    from keys k where k.key is not null
)
select key
from keys
where key is not null
