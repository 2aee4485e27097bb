-- Give excerpts the places that they have now; one without is stale.
update vcontract.bridge_link l set start_char = g.start_char, end_char = g.end_char, stale = g.start_char is null
from unnest(:holders::text[], :positions::integer[], :starts::integer[], :ends::integer[])
    as g (holder, position, start_char, end_char)
where l.tenant = :tenant and l.holder = g.holder and l.position = g.position
