-- The project of dialogs, and the turns around them, at most $4 characters.
select d.vcon, d.index, (
    select g.value from vcontract.tag g where g.tenant = $1 and g.vcon = d.vcon and g.key = 'project'
) as project, (
    select left(p.content, $4) from vcontract.passage p where p.tenant = $1 and p.kind = 'vcon' and p.id = d.vcon
    and p.part = 'dialog' and p.element = d.index - 1 order by p.chunk limit 1
) as before, (
    select left(p.content, $4) from vcontract.passage p where p.tenant = $1 and p.kind = 'vcon' and p.id = d.vcon
    and p.part = 'dialog' and p.element = d.index + 1 order by p.chunk limit 1
) as after
from unnest($2::uuid[], $3::integer[]) w (vcon, index)
join vcontract.dialog d on d.tenant = $1 and d.vcon = w.vcon and d.index = w.index
