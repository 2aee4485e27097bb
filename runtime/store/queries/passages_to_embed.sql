-- What is to be embedded of some things in the space $4, their passages in order; those that have their vector
-- already are there as neighbours of the others. originator and parties of a text dialog tell
-- whose turn it is; other dialogs have no single speaker.
select
    p.id, p.part, p.element, p.chunk, p.content,
    exists (
        select from vcontract.embedding e
        where e.space = $4 and e.tenant = $1 and e.kind = $2 and e.id = p.id
            and e.part = p.part and e.element = p.element and e.chunk = p.chunk
    ) as has_vector,
    case when d.type = 'text' then d.doc -> 'originator' end as originator,
    case when d.type = 'text' then d.doc -> 'parties' end as parties
from vcontract.passage p
left join vcontract.dialog d
    on p.kind = 'vcon' and p.part = 'dialog' and d.tenant = $1 and d.vcon = p.id and d.index = p.element
where p.tenant = $1 and p.kind = $2 and p.id = any($3) and vcontract.is_embedded(p.part)
order by p.id, p.part, p.element, p.chunk
