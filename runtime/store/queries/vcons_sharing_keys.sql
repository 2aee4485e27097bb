-- vCons from one source that share one of these keys with an export, and whether they come from a file with its
-- name; the newest first.
select k.key, v.uuid
from unnest(:keys::text[]) k (key)
cross join lateral (
    select a.vcon as uuid, v.stored_at
    from vcontract.attachment a
    join vcontract.vcon v on v.tenant = a.tenant and v.uuid = a.vcon
    join vcontract.tag t on t.tenant = a.tenant and t.vcon = a.vcon and t.key = 'source' and t.value = :source
    where a.tenant = :tenant and a.purpose = 'tags' and a.doc #> '{meta,conversation_export,keys}' is not null
        and (a.doc #> '{meta,conversation_export,keys}')::jsonb ? k.key
    order by v.stored_at desc
    limit 20
) v
