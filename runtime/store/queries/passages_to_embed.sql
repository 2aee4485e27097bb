-- What is to be embedded of some things in the space $4, their passages in order, each with what its vector was
-- made of when it has one. originator and parties of a text dialog tell whose turn it is; other dialogs have no
-- single speaker.
select
    p.id, p.part, p.element, p.chunk, p.content, e.space is not null as has_vector, e.made_of,
    case when d.type = 'text' then d.doc -> 'originator' end as originator,
    case when d.type = 'text' then d.doc -> 'parties' end as parties
from vcontract.passage p
left join vcontract.embedding e
    on e.space = $4 and e.tenant = $1 and e.kind = $2 and e.id = p.id
    and e.part = p.part and e.element = p.element and e.chunk = p.chunk
left join vcontract.dialog d
    on p.kind = 'vcon' and p.part = 'dialog' and d.tenant = $1 and d.vcon = p.id and d.index = p.element
where p.tenant = $1 and p.kind = $2 and p.id = any($3) and vcontract.is_embedded(p.part)
order by p.id, p.part, p.element, p.chunk
