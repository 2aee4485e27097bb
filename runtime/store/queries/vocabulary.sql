-- What a tenant's vCons count as, of these kinds (:abouts): what was folded, and what has changed since.
with changes as materialized (
    select about, name, detail, sum(difference) as difference
    from vcontract.counted_change
    where tenant = :tenant
    group by about, name, detail
    having sum(difference) <> 0
), values as (
    -- values that came or went with these changes
    select c.name,
        sum((coalesce(v.vcons, 0) + c.difference > 0)::int - (coalesce(v.vcons, 0) > 0)::int) as difference
    from changes c
    left join vcontract.vocabulary v
        on v.tenant = :tenant and v.about = c.about and v.name = c.name and v.detail = c.detail
    where c.about in ('value', 'long_value')
    group by c.name
), parts as (
    select about, name, detail, vcons from vcontract.vocabulary where tenant = :tenant and about = any(:abouts::text[])
    union all
    select about, name, detail, difference from changes where about = any(:abouts::text[])
    union all
    select 'distinct_values', name, '', difference from values where 'distinct_values' = any(:abouts::text[])
)
select about, name, detail, sum(vcons)::bigint as vcons
from parts
group by about, name, detail
having sum(vcons) > 0
order by vcons desc, name, detail
