-- The values of the tag :keys that the most vCons have, of each key as many as :most says. A value that has changed
-- since the last folding may have left the first of the folded ones, so that many more of these are looked at.
with changes as materialized (
    select name, detail, sum(difference) as difference
    from vcontract.counted_change
    where tenant = :tenant and about = 'value' and name = any(:keys::text[])
    group by name, detail
    having sum(difference) <> 0
), wanted as (
    select w.name, w.most, coalesce(c.changed, 0) as changed
    from unnest(:keys::text[], :most::integer[]) as w (name, most)
    left join (select name, count(*) as changed from changes group by name) c using (name)
), counted as (
    select w.name, f.detail, f.vcons
    from wanted w
    cross join lateral (
        select v.detail, v.vcons
        from vcontract.vocabulary v
        where v.tenant = :tenant and v.about = 'value' and v.name = w.name
        order by v.vcons desc, v.detail
        limit w.most + w.changed
    ) f
    left join changes c on c.name = w.name and c.detail = f.detail
    where c.detail is null
    union all
    select c.name, c.detail, coalesce(v.vcons, 0) + c.difference
    from changes c
    left join vcontract.vocabulary v
        on v.tenant = :tenant and v.about = 'value' and v.name = c.name and v.detail = c.detail
), placed as (
    select name, detail, vcons, row_number() over (partition by name order by vcons desc, detail) as place
    from counted
    where vcons > 0
)
select p.name, p.detail as value, p.vcons::bigint as vcons
from placed p
join wanted w using (name)
where p.place <= w.most
order by p.name, p.place
