-- vCons are found by what happened in them: holds, transfers, who joined or left.
with had as (
    select x.tenant, x.vcon, array_agg(distinct 'event:' || x.kind) as events
    from (
        select v.tenant, v.uuid as vcon, e ->> 'type' as kind
        from vcontract.vcon v
        cross join json_array_elements(
            case when json_typeof(v.head -> 'events') = 'array' then v.head -> 'events' end) e
        union all
        select d.tenant, d.vcon, h ->> 'event'
        from vcontract.dialog d
        cross join json_array_elements(
            case when json_typeof(d.doc -> 'party_history') = 'array' then d.doc -> 'party_history' end) h
        union all
        select d.tenant, d.vcon,
            case when d.doc -> 'consultation' is null then 'blind-transfer' else 'consultative-transfer' end
        from vcontract.dialog d
        where d.type = 'transfer'
    ) x
    where x.kind in ('join', 'drop', 'hold', 'unhold', 'mute', 'unmute', 'keydown', 'keyup',
        'consultation-start', 'blind-transfer', 'consultative-transfer', 'transfer-abandoned')
    group by x.tenant, x.vcon
), changed as (
    update vcontract.vcon v set features = array(select f from unnest(v.features || had.events) f order by f)
    from had
    where had.tenant = v.tenant and had.vcon = v.uuid
    returning v.tenant, had.events
)
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select c.tenant, 'event', substr(f, length('event:') + 1), '', count(*)
from changed c
cross join unnest(c.events) f
group by c.tenant, f;
