-- Changes of files whose path holds the :segments (/as/segments/), or is the end of the :path (/a/path), newest first; either
-- has the :last segment of the path. With :only_of_projects only of transcripts of the projects of these :names or below
-- the folders :roots.
select x.id, x.started_at, f.path, f.relative_path, f.operation
from vcontract.files_with(:last) f
join vcontract.transcript_exchange x on x.tenant = :tenant and x.vcon = f.vcon and x.number = f.exchange
join vcontract.transcript t on t.tenant = :tenant and t.vcon = f.vcon
where (
    strpos('/' || replace(f.path, '\', '/') || '/', :segments) > 0
    or right(:path, length(f.path) + 1) = '/' || replace(f.path, '\', '/')
    or right(:path, length(f.relative_path) + 1) = '/' || replace(f.relative_path, '\', '/')
) and (not :only_of_projects or vcontract.without_case(t.project) = any(:names) or exists (
    select from unnest(:roots::text[]) r where t.cwd = r or starts_with(t.cwd, rtrim(r, '/') || '/')
))
order by x.started_at desc, x.id limit 2000
