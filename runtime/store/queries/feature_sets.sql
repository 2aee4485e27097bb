-- What the first $2 vCons, in the order of a hash, have together, and how many have exactly that.
select features, count(*) as vcons
from (
    select features from vcontract.vcon
    where tenant = $1
    order by uuid_hash(uuid), uuid
    limit $2
) sample
group by features
