-- What is to be embedded of some things in the :space, their passages in order, each with what its vector was made of
-- when it has one. originator and parties of a text dialog tell whose turn it is; other dialogs have no single speaker.
select
    p.id, p.part, p.element, p.chunk, p.content, e.space is not null as has_vector, e.made_of,
    case when d.type = 'text' then d.doc -> 'originator' end as originator,
    case when d.type = 'text' then d.doc -> 'parties' end as parties
from vcontract.passage p
left join vcontract.embedding e
    on e.space = :space and e.tenant = :tenant and e.kind = :kind and e.id = p.id
    and e.part = p.part and e.element = p.element and e.chunk = p.chunk
left join vcontract.dialog d
    on p.kind = 'vcon' and p.part = 'dialog' and d.tenant = :tenant and d.vcon = p.id and d.index = p.element
where p.tenant = :tenant and p.kind = :kind and p.id = any(:ids) and vcontract.is_embedded(p.part)
order by p.id, p.part, p.element, p.chunk
