-- Vocabulary: in how many vCons something is.

-- What one tag counts as.
create or replace function vcontract.tag_vocabulary(key text, value text, type text)
    returns table (about text, name text, detail text)
    language sql stable
as $$
    values
        ('tag', key, ''),
        ('value_type', key, type),
        (
            case when length(value) <= 255 then 'value' else 'long_value' end,
            key,
            case when length(value) <= 255 then value else encode(sha256(convert_to(value, 'UTF8')), 'hex') end
        )
$$;

-- What some vCons count as together.
create or replace function vcontract.vocabulary_of(of_tenant text, uuids uuid[])
    returns table (about text, name text, detail text, vcons bigint)
    language sql stable
as $$
    select 'vcon', '', '', count(*) from vcontract.vcon v where v.tenant = of_tenant and v.uuid = any(uuids)
    union all
    -- no vCons, but bytes
    select 'bytes', '', '', (
        (select coalesce(sum(v.bytes), 0) from vcontract.vcon v where v.tenant = of_tenant and v.uuid = any(uuids))
        + (select coalesce(sum(octet_length(t.key) + octet_length(t.value)), 0) from vcontract.tag t
            where t.tenant = of_tenant and t.vcon = any(uuids))
    )::bigint
    union all
    select split_part(f, ':', 1), substr(f, strpos(f, ':') + 1), '', count(*)
    from vcontract.vcon v
    cross join unnest(v.features) f
    where v.tenant = of_tenant and v.uuid = any(uuids) and f not like 'tag:%'
    group by f
    union all
    -- a party once in a vCon, as it is folded, with one way that it is written
    select 'party', p.name, p.written, count(*)
    from (
        select left(p.name_folded, 255) as name, min(left(p.doc ->> 'name', 255) collate "C") as written
        from vcontract.party p
        where p.tenant = of_tenant and p.vcon = any(uuids) and p.name_folded <> ''
        group by p.vcon, 1
    ) p
    group by p.name, p.written
    union all
    select 'vendor', a.type, a.vendor, count(distinct a.vcon)
    from vcontract.analysis a
    where a.tenant = of_tenant and a.vcon = any(uuids)
        and length(a.type) between 1 and 255 and length(a.vendor) between 1 and 255
    group by a.type, a.vendor
    union all
    select w.about, w.name, w.detail, count(*)
    from vcontract.tag t
    cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
    where t.tenant = of_tenant and t.vcon = any(uuids)
    group by w.about, w.name, w.detail
$$;

-- How many vCons have what is counted as these abouts, of some names or (null) of all.
create or replace function vcontract.counted(abouts text[], names text[])
    returns table (about text, name text, detail text, vcons bigint)
    language sql stable
as $$
    select c.about, c.name, c.detail, sum(c.vcons)::bigint
    from (
        select v.about, v.name, v.detail, v.vcons from vcontract.vocabulary v
        where v.tenant = vcontract.current_tenant() and v.about = any(abouts)
            and (names is null or v.name = any(names))
        union all
        select v.about, v.name, v.detail, v.difference from vcontract.counted_change v
        where v.tenant = vcontract.current_tenant() and v.about = any(abouts)
            and (names is null or v.name = any(names))
    ) c
    group by c.about, c.name, c.detail
    having sum(c.vcons) > 0
$$;

-- How many vCons have each value of some tag keys, or (null) of all. Values that are too long to be counted as they are
-- written are counted here.
create or replace function vcontract.tag_values(keys text[]) returns table (key text, value text, vcons bigint)
    language sql stable
as $$
    select c.name, c.detail, c.vcons from vcontract.counted('{value}', keys) c
    union all
    select c.name, t.value, count(*)
    from (select distinct c.name from vcontract.counted('{long_value}', keys) c) c
    cross join lateral (
        select t.value from vcontract.tag t
        where t.tenant = vcontract.current_tenant() and t.key = c.name and length(t.value) > 255
            and (vcontract.current_purposes() is null or t.vcon not in (select w from vcontract.withheld() w))
        offset 0 -- has no tag read but of these keys, which are few, if any
    ) t
    group by c.name, t.value
$$;

-- Bring up to `most` changes of any tenant into the counts; how many. One session at a time does it.
create or replace function vcontract.fold_vocabulary(most integer) returns integer
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    places tid[];
begin
    if not pg_try_advisory_xact_lock(hashtext('vcontract.vocabulary')) then
        return 0;
    end if;
    places := array(select c.ctid from vcontract.vocabulary_change c limit most);
    with taken as (
        delete from vcontract.vocabulary_change c where c.ctid = any(places) returning c.*
    ), sums as (
        select t.tenant, t.about, t.name, t.detail, sum(t.difference) as difference
        from taken t
        group by t.tenant, t.about, t.name, t.detail
        having sum(t.difference) <> 0
    ), values as (
        -- a value more or less for its key
        select s.tenant, s.name,
            sum((coalesce(v.vcons, 0) + s.difference > 0)::int - (coalesce(v.vcons, 0) > 0)::int) as difference
        from sums s
        left join vcontract.vocabulary v
            on v.tenant = s.tenant and v.about = s.about and v.name = s.name and v.detail = s.detail
        where s.about in ('value', 'long_value')
        group by s.tenant, s.name
    )
    merge into vcontract.vocabulary v
    using (
        select * from sums
        union all
        select tenant, 'distinct_values', name, '', difference from values where difference <> 0
    ) s on v.tenant = s.tenant and v.about = s.about and v.name = s.name and v.detail = s.detail
    when matched and v.vcons + s.difference = 0 then delete
    when matched then update set vcons = v.vcons + s.difference
    when not matched then insert (tenant, about, name, detail, vcons)
        values (s.tenant, s.about, s.name, s.detail, s.difference);
    return cardinality(places);
end
$$;

-- What happened in a vCon beside its words, and when, if that is known: its events, and before 0.5.0 the party_history
-- and the transfers among its dialogs.
create or replace function vcontract.call_events(of_tenant text, of_vcon uuid, head json)
    returns table (kind text, at timestamptz)
    language sql stable
as $$
    select x.kind, case
        when x.time ~ '^\d{4}-\d\d-\d\d[Tt ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)$'
            and pg_input_is_valid(x.time, 'timestamptz')
        then x.time::timestamptz end
    from (
        select e ->> 'type' as kind, e ->> 'time' as time
        from json_array_elements(case when json_typeof(head -> 'events') = 'array' then head -> 'events' end) e
        union all
        select h ->> 'event', h ->> 'time'
        from vcontract.dialog d
        cross join json_array_elements(
            case when json_typeof(d.doc -> 'party_history') = 'array' then d.doc -> 'party_history' end) h
        where d.tenant = of_tenant and d.vcon = of_vcon
        union all
        select case when d.doc -> 'consultation' is null then 'blind-transfer' else 'consultative-transfer' end,
            d.doc ->> 'start'
        from vcontract.dialog d
        where d.tenant = of_tenant and d.vcon = of_vcon and d.type = 'transfer'
    ) x
    where x.kind in ('join', 'drop', 'hold', 'unhold', 'mute', 'unmute', 'keydown', 'keyup',
        'consultation-start', 'blind-transfer', 'consultative-transfer', 'transfer-abandoned')
$$;

-- Make features and counts anew from what is stored, for vCons that were there before them.
create or replace function vcontract.recount_vocabulary() returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant text;
    uuids uuid[];
begin
    lock table vcontract.vcon, vcontract.vocabulary_change in share row exclusive mode;
    perform pg_advisory_xact_lock(hashtext('vcontract.vocabulary'));
    update vcontract.vcon v set features = array(
        select distinct f from (
            select 'field:subject' as f where json_typeof(v.head -> 'subject') = 'string'
                and v.head ->> 'subject' <> ''
            union all
            select 'field:parties.' || m.member
            from vcontract.party p
            cross join unnest('{name,mailto,tel,role}'::text[]) m (member)
            where p.tenant = v.tenant and p.vcon = v.uuid
                and json_typeof(p.doc -> m.member) = 'string' and p.doc ->> m.member <> ''
            union all
            select 'role:' || (p.doc ->> 'role')
            from vcontract.party p
            where p.tenant = v.tenant and p.vcon = v.uuid and json_typeof(p.doc -> 'role') = 'string'
                and length(p.doc ->> 'role') between 1 and 255
            union all
            select 'field:dialog' where v.dialogs > 0
            union all
            select 'field:dialog.start'
            from vcontract.dialog d
            where d.tenant = v.tenant and d.vcon = v.uuid and json_typeof(d.doc -> 'start') = 'string'
                and d.doc ->> 'start' <> ''
            union all
            select unnest(case when d.type = 'text' then array['dialog:text', 'field:dialog.text']
                else array['dialog:' || d.type] end)
            from vcontract.dialog d
            where d.tenant = v.tenant and d.vcon = v.uuid and length(d.type) between 1 and 255
            union all
            select 'event:' || e.kind from vcontract.call_events(v.tenant, v.uuid, v.head) e
            union all
            select unnest(case when lower(a.type) in ('summary', 'transcript')
                then array['analysis:' || a.type, 'field:analysis.' || lower(a.type)]
                else array['analysis:' || a.type] end)
            from vcontract.analysis a
            where a.tenant = v.tenant and a.vcon = v.uuid and length(a.type) between 1 and 255
            union all
            select 'attachment:' || a.purpose
            from vcontract.attachment a
            where a.tenant = v.tenant and a.vcon = v.uuid and length(a.purpose) between 1 and 255
            union all
            select unnest(array['extension:' || (e #>> '{}'), 'field:extensions'])
            from json_array_elements(
                case when json_typeof(v.head -> 'extensions') = 'array' then v.head -> 'extensions' end) e
            where json_typeof(e) = 'string' and length(e #>> '{}') between 1 and 255
            union all
            select unnest(array['tag:' || t.key, 'field:tags'])
            from vcontract.tag t
            where t.tenant = v.tenant and t.vcon = v.uuid
            union all
            select 'field:dealer' from vcontract.dealer d where d.tenant = v.tenant and d.vcon = v.uuid
        ) had
    );
    delete from vcontract.vocabulary_change;
    delete from vcontract.vocabulary;
    for of_tenant, uuids in
        select n.tenant, array_agg(n.uuid)
        from (
            select v.tenant, v.uuid, row_number() over (partition by v.tenant order by v.uuid) / 10000 as part
            from vcontract.vcon v
        ) n
        group by n.tenant, n.part
    loop
        insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
        select of_tenant, w.about, w.name, w.detail, w.vcons from vcontract.vocabulary_of(of_tenant, uuids) w;
    end loop;
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select s.tenant, 'bytes', '', '', sum(s.bytes)
    from (
        select tenant, archive_size as bytes from vcontract.transcript
        union all
        select tenant, bytes from vcontract.reflection
        union all
        select tenant, bytes from vcontract.bridge_record
    ) s
    group by s.tenant;
    while vcontract.fold_vocabulary(100000) > 0 loop
    end loop;
end
$$;
