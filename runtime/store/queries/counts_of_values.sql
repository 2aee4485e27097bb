-- In how many vCons the tag key $2 has each of the values $3.
select g.value, (
    coalesce((
        select v.vcons from vcontract.vocabulary v
        where v.tenant = $1 and v.about = 'value' and v.name = $2 and v.detail = g.value
    ), 0) + coalesce((
        select sum(c.difference) from vcontract.vocabulary_change c
        where c.tenant = $1 and c.about = 'value' and c.name = $2 and c.detail = g.value
    ), 0)
)::bigint as vcons
from unnest($3::text[]) as g (value)
