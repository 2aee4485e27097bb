-- The values of the keys in $2 (null: of all keys) that at least $3 vCons have, at most $4 a key, most used
-- first; distinct_values is how many there are. A vCon has a key once, so rows are vCons.
with counted as (
    select key, value, count(*) as vcons
    from vcontract.tag
    where tenant = $1 and ($2::text[] is null or key = any($2))
    group by key, value
    having count(*) >= $3
), placed as (
    select
        key, value, vcons,
        row_number() over (partition by key order by vcons desc, value collate "C") as place,
        count(*) over (partition by key) as distinct_values
    from counted
)
select key, value, vcons, distinct_values
from placed
where place <= $4
order by key collate "C", place
