-- Give the locked vCon its tags: $3 are the keys to remove, $4 to $6 keys, values and types to write.
-- $7 is the moment of the change, $8 the top-level members of the vCon, $9 where it carries tags now.
with removed as (
    delete from vcontract.tag where tenant = $1 and vcon = $2 and key = any($3::text[])
), written as (
    insert into vcontract.tag (tenant, vcon, key, value, type)
    select $1, $2, t.key, t.value, t.type
    from unnest($4::text[], $5::text[], $6::text[]) as t (key, value, type)
    on conflict (tenant, vcon, key) do update set value = excluded.value, type = excluded.type
)
update vcontract.vcon
set updated_at = $7, head = $8::json, tag_carriers = $9
where tenant = $1 and uuid = $2
