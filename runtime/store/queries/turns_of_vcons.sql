-- What names and numbers the turns of vCons. Where every dialog has text, in order of time, and no analysis is a transcript
-- (:types), each dialog is a turn with its own number: only the dialogs in :elements of :of come, without their words
-- unless :whole. Of other vCons no dialogs come with :whole, and all without it: of one with transcripts whole, because
-- their bodies show which have words of their own.
select
    v.uuid,
    v.dialogs,
    (select json_agg(p.doc order by p.index) from vcontract.party p where p.tenant = v.tenant and p.vcon = v.uuid)
        as parties,
    (
        select json_agg(json_build_object('index', d.index, 'doc', case
            when :whole::boolean or t.docs is not null then d.doc
            else json_build_object(
                'type', d.type, 'start', d.doc -> 'start', 'parties', d.doc -> 'parties',
                'originator', d.doc -> 'originator'
            )
        end))
        -- offset 0: each by its primary key, for a long conversation has thousands of others
        from unnest(coalesce(o.places, array(select generate_series(0, v.dialogs - 1) where not :whole))) x (index)
        cross join lateral (
            select * from vcontract.dialog d
            where d.tenant = v.tenant and d.vcon = v.uuid and d.index = x.index
            offset 0
        ) d
    ) as dialog,
    t.docs as transcripts,
    o.places is not null as are_numbered
from unnest(:vcons::uuid[]) as wanted (uuid)
join vcontract.vcon v on v.tenant = :tenant and v.uuid = wanted.uuid
cross join lateral (
    select json_agg(json_build_object('index', a.index, 'doc', a.doc) order by a.index) as docs
    from vcontract.analysis a
    where a.tenant = v.tenant and a.vcon = v.uuid and a.type = any(:types)
) t
cross join lateral (
    select case
        when t.docs is null and d.is_numbered
        then array(select x.element from unnest(:of::uuid[], :elements::integer[]) x (vcon, element) where x.vcon = v.uuid)
    end as places
    from vcontract.search_document d
    where d.tenant = v.tenant and d.kind = 'vcon' and d.id = v.uuid
) o
