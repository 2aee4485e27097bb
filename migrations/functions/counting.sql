-- Counts over what a search matches. These functions run with their owner's rights, as those of search.sql do.

-- In how many things that meet a specification each name is, those of most things first: by dealer, month, day
-- or hour of the week (of occurred_at, in UTC), party or tag_value, or by the features that begin with `about` and a colon.
create or replace function vcontract.search_tally(spec jsonb, kind text, about text, most integer)
    returns table (name text, label text, things bigint, names bigint)
    language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set max_parallel_workers_per_gather = 0
as $$
declare
    tenant constant text := vcontract.current_tenant();
begin
    return query execute format(
        'select n.name, min(n.label), count(distinct n.id), count(*) over ()'
        ' from (select %s, d.id from vcontract.search_document d %s where %s) n (name, label, id)'
        ' where n.name <> '''' group by n.name order by 3 desc, 1 limit %s',
        case about
            when 'dealer' then 'x.id, x.name'
            when 'month' then 'to_char(d.occurred_at at time zone ''UTC'', ''YYYY-MM''), null::text'
            when 'day' then 'to_char(d.occurred_at at time zone ''UTC'', ''YYYY-MM-DD''), null::text'
            when 'hour' then 'to_char(d.occurred_at at time zone ''UTC'', ''Dy HH24''), null::text'
            when 'party' then 'x.name_folded, x.doc ->> ''name'''
            when 'tag_value' then 'x.key || '':'' || left(x.value, 256), null::text'
            else format('substr(f, %s), null::text', length(about) + 2)
        end,
        case about
            when 'dealer' then format('join vcontract.dealer x on x.tenant = %L and x.vcon = d.id', tenant)
            when 'month' then ''
            when 'day' then ''
            when 'hour' then ''
            when 'party' then format('join vcontract.party x on x.tenant = %L and x.vcon = d.id', tenant)
            when 'tag_value' then format('join vcontract.tag x on x.tenant = %L and x.vcon = d.id', tenant)
            else format('join vcontract.vcon x on x.tenant = %L and x.uuid = d.id'
                ' join unnest(x.features) f on f like %L', tenant, about || ':%')
        end,
        vcontract.search_conditions(spec, kind), most);
end
$$;
