-- What the turns of vCons are numbered and named by. Of one without transcripts each dialog is a turn, whose words are
-- not needed; of one with transcripts :types, which dialogs have words of their own is told by their bodies.
select
    v.uuid,
    (select json_agg(p.doc order by p.index) from vcontract.party p where p.tenant = v.tenant and p.vcon = v.uuid)
        as parties,
    (
        select json_agg(
            case
                when t.docs is not null then d.doc
                else json_build_object(
                    'type', d.type, 'start', d.doc -> 'start', 'parties', d.doc -> 'parties',
                    'originator', d.doc -> 'originator'
                )
            end
            order by d.index
        )
        from vcontract.dialog d
        where d.tenant = v.tenant and d.vcon = v.uuid
    ) as dialog,
    t.docs as transcripts
from unnest(:vcons::uuid[]) as wanted (uuid)
join vcontract.vcon v on v.tenant = :tenant and v.uuid = wanted.uuid
cross join lateral (
    select json_agg(json_build_object('index', a.index, 'doc', a.doc) order by a.index) as docs
    from vcontract.analysis a
    where a.tenant = v.tenant and a.vcon = v.uuid and a.type = any(:types)
) t
