-- Give the locked vCon its tags: $3 are the keys to remove, $4 to $6 keys, values and types of all it has now.
-- $7 is the moment of the change, $8 the top-level members of the vCon, $9 its conformance, $10 where it carries tags
-- now.
with given as (
    select * from unnest($4::text[], $5::text[], $6::text[]) as t (key, value, type)
), removed as (
    delete from vcontract.tag where tenant = $1 and vcon = $2 and key = any($3::text[])
), written as (
    insert into vcontract.tag (tenant, vcon, key, value, type)
    select $1, $2, key, value, type from given
    on conflict (tenant, vcon, key) do update set value = excluded.value, type = excluded.type
), counted as (
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select $1, c.about, c.name, c.detail, sum(c.difference)
    from (
        select w.*, -1 as difference
        from vcontract.tag t
        cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
        where t.tenant = $1 and t.vcon = $2
        union all
        select w.*, 1
        from given t
        cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
        union all
        select 'field', 'tags', '', exists (select from given)::int - exists (
            select from vcontract.tag t where t.tenant = $1 and t.vcon = $2
        )::int
    ) c
    group by c.about, c.name, c.detail
    having sum(c.difference) <> 0
)
update vcontract.vcon
set updated_at = $7, head = $8::json, conformance = $9::json, tag_carriers = $10, features = array(
    select f from unnest(features) f where f not like 'tag:%' and f <> 'field:tags'
    union all
    select 'tag:' || key from given
    union all
    select 'field:tags' where exists (select from given)
)
where tenant = $1 and uuid = $2
