-- What the first :most vCons but :without, in the order of a hash, have together, and how many have exactly that.
select features, count(*) as vcons
from (
    select features from vcontract.vcon
    where tenant = :tenant and uuid <> all(:without::uuid[])
    order by uuid_hash(uuid), uuid
    limit :most
) sample
group by features
