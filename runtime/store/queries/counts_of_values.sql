-- In how many vCons the tag :key has each of the :values.
select g.value, (
    coalesce((
        select v.vcons from vcontract.vocabulary v
        where v.tenant = :tenant and v.about = 'value' and v.name = :key and v.detail = g.value
    ), 0) + coalesce((
        select sum(c.difference) from vcontract.counted_change c
        where c.tenant = :tenant and c.about = 'value' and c.name = :key and c.detail = g.value
    ), 0)
)::bigint as vcons
from unnest(:values::text[]) as g (value)
