-- Take what quotes the reflection :id out of handoffs, remove kept answers that may quote it, and count its bytes no
-- more; the handoffs' files.
with counted as (
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select :tenant, 'bytes', '', '', -bytes from vcontract.reflection where tenant = :tenant and id = :id::text::uuid
), chunks as (
    delete from vcontract.result_cache
    where tenant = :tenant and tool = 'chunks' and strpos(content::text, :id) > 0
), answers as (
    delete from vcontract.request where tenant = :tenant and (
        strpos(answer, :id) > 0 or tool in ('session_init', 'session_end')
    )
)
update vcontract.work_session s set handoff = (s.handoff::jsonb || (
    select jsonb_object_agg(list, coalesce((
        select jsonb_agg(entry order by place)
        from jsonb_array_elements(s.handoff::jsonb -> list) with ordinality as l (entry, place)
        where entry ->> 'id' <> :id
    ), '[]')) from unnest('{learning,open}'::text[]) as list
))::json
where s.tenant = :tenant and strpos(s.handoff::text, :id) > 0
returning s.handoff ->> 'handoff_file_path' as path
