-- Which :exchanges, :reflections and vCons of :dialogs are of the :projects, of projects of these :names, or below the folders
-- :roots.
select r.id from vcontract.reflection r
where r.tenant = :tenant and r.id = any(:reflections) and r.project = any(:projects)
union all
select x.id from vcontract.transcript_exchange x
join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon
where x.tenant = :tenant and x.id = any(:exchanges) and (vcontract.without_case(t.project) = any(:names) or exists (
    select from unnest(:roots::text[]) r where t.cwd = r or starts_with(t.cwd, rtrim(r, '/') || '/')
))
union all
select g.vcon from vcontract.tag g
where g.tenant = :tenant and g.vcon = any(:dialogs) and g.key = 'project' and vcontract.without_case(g.value) = any(:names)
