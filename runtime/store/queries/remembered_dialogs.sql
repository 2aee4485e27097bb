-- The project of dialogs, and the turns around them, at most :most_of_prompt characters.
select d.vcon, d.index, (
    select g.value from vcontract.tag g where g.tenant = :tenant and g.vcon = d.vcon and g.key = 'project'
) as project, (
    select left(p.content, :most_of_prompt) from vcontract.passage p
    where p.tenant = :tenant and p.kind = 'vcon' and p.id = d.vcon and p.part = 'dialog' and p.element = d.index - 1
    order by p.chunk limit 1
) as before, (
    select left(p.content, :most_of_prompt) from vcontract.passage p
    where p.tenant = :tenant and p.kind = 'vcon' and p.id = d.vcon and p.part = 'dialog' and p.element = d.index + 1
    order by p.chunk limit 1
) as after
from unnest(:vcons::uuid[], :indexes::integer[]) w (vcon, index)
join vcontract.dialog d on d.tenant = :tenant and d.vcon = w.vcon and d.index = w.index
