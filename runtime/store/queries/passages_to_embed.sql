-- What is to be embedded of some things, their passages in order. originator and parties of a text dialog tell
-- whose turn it is; other dialogs have no single speaker.
select
    p.id, p.part, p.element, p.chunk, p.content,
    case when d.type = 'text' then d.doc -> 'originator' end as originator,
    case when d.type = 'text' then d.doc -> 'parties' end as parties
from vcontract.passage p
left join vcontract.dialog d
    on p.kind = 'vcon' and p.part = 'dialog' and d.tenant = $1 and d.vcon = p.id and d.index = p.element
where p.tenant = $1 and p.kind = $2 and p.id = any($3) and p.part <> 'party'
order by p.id, p.part, p.element, p.chunk
