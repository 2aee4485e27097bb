-- Changes of files whose path holds $2 (/as/segments/), or is the end of $3 (/a/path), newest first; with $4 only of
-- transcripts of the projects $5 or below the folders $6.
select x.id, x.started_at, f.path, f.relative_path, f.operation
from vcontract.transcript_file f
join vcontract.transcript_exchange x on x.tenant = f.tenant and x.vcon = f.vcon and x.number = f.exchange
join vcontract.transcript t on t.tenant = f.tenant and t.vcon = f.vcon
where f.tenant = $1 and (
    strpos('/' || replace(f.path, '\', '/') || '/', $2) > 0
    or right($3, length(f.path) + 1) = '/' || replace(f.path, '\', '/')
    or right($3, length(f.relative_path) + 1) = '/' || replace(f.relative_path, '\', '/')
) and (not $4 or lower(t.project) = any($5) or exists (
    select from unnest($6::text[]) r where t.cwd = r or starts_with(t.cwd, rtrim(r, '/') || '/')
))
order by x.started_at desc, x.id limit 2000
