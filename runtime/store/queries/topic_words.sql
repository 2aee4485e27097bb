-- The texts of these vCons that say what they are about, up to :passages passages each, cut to :most characters; and
-- the names of their parties.
select p.id, p.content, p.is_name
from unnest(:ids::uuid[]) x (uuid)
cross join lateral (
    (
        select p.id, left(p.content, :most) as content, false as is_name from vcontract.passage p
        where p.tenant = :tenant and p.kind = 'vcon' and p.id = x.uuid
            and p.part in ('subject', 'dialog', 'analysis')
        order by p.part desc, p.element, p.chunk
        limit :passages
    )
    union all
    select q.vcon, left(q.doc ->> 'name', :most), true from vcontract.party q
    where q.tenant = :tenant and q.vcon = x.uuid and json_typeof(q.doc -> 'name') = 'string'
) p
