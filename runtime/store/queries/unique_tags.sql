-- The values of the :keys (null: of all keys) that at least :min_count vCons have, at most :most a key, most used
-- first; distinct_values is how many there are.
with counted as (
    select key, value, vcons from vcontract.tag_values(:keys::text[]) where vcons >= :min_count
), placed as (
    select
        key, value, vcons,
        row_number() over (partition by key order by vcons desc, value collate "C") as place,
        count(*) over (partition by key) as distinct_values
    from counted
)
select key, value, vcons, distinct_values
from placed
where place <= :most
order by key collate "C", place
