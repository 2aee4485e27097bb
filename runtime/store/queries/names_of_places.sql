-- The type of an analysis and the purpose of an attachment, of places that have one; each by its primary key.
select p.vcon, p.part, p.element, left(coalesce(a.type, t.purpose), 100) as name
from unnest(:vcons::uuid[], :parts::text[], :elements::integer[]) p (vcon, part, element)
left join vcontract.analysis a
    on p.part = 'analysis' and a.tenant = :tenant and a.vcon = p.vcon and a.index = p.element
left join vcontract.attachment t
    on p.part = 'attachment' and t.tenant = :tenant and t.vcon = p.vcon and t.index = p.element
where coalesce(a.type, t.purpose) <> ''
