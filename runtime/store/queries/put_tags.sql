-- Give the locked vCon its tags: the keys to be :removed, and all that it has :now, the moment of the change. :head are
-- the top-level members of the vCon, :carriers says where it carries tags now.
with given as (
    select * from {tag.rows}
), removed as (
    delete from vcontract.tag where tenant = :tenant and vcon = :uuid and key = any(:removed::text[])
), written as (
    {tag.upsert}
), counted as (
    insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
    select :tenant, c.about, c.name, c.detail, sum(c.difference)
    from (
        select w.*, -1 as difference
        from vcontract.tag t
        cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
        where t.tenant = :tenant and t.vcon = :uuid
        union all
        select w.*, 1
        from given t
        cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
        union all
        select 'bytes', '', '', -(octet_length(t.key) + octet_length(t.value))
        from vcontract.tag t where t.tenant = :tenant and t.vcon = :uuid
        union all
        select 'bytes', '', '', octet_length(t.key) + octet_length(t.value) from given t
        union all
        select 'field', 'tags', '', exists (select from given)::int - exists (
            select from vcontract.tag t where t.tenant = :tenant and t.vcon = :uuid
        )::int
    ) c
    group by c.about, c.name, c.detail
    having sum(c.difference) <> 0
)
update vcontract.vcon
set updated_at = :now, head = :head::json, conformance = :conformance::json, tag_carriers = :carriers, features = array(
    select f from unnest(features) f where f not like 'tag:%' and f <> 'field:tags'
    union all
    select 'tag:' || key from given
    union all
    select 'field:tags' where exists (select from given)
)
where tenant = :tenant and uuid = :uuid
