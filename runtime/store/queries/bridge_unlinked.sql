-- What stays of all that had a link to what is :gone: sources that reflect or are reflected on, moments, scenes, and
-- the sources and members that a moment or scene among them held.
select id from (
    select r.source_id as id from vcontract.bridge_reflection r where r.tenant = :tenant and r.reflects_on = any(:gone)
    union
    select r.reflects_on from vcontract.bridge_reflection r where r.tenant = :tenant and r.source_id = any(:gone)
    union
    select f.moment_id from vcontract.bridge_moment_source f where f.tenant = :tenant and f.source_id = any(:gone)
    union
    select f.source_id from vcontract.bridge_moment_source f where f.tenant = :tenant and f.moment_id = any(:gone)
    union
    select m.scene_id from vcontract.bridge_scene_member m
    where m.tenant = :tenant and (m.moment_id = any(:gone) or m.child_scene_id = any(:gone))
    union
    select coalesce(m.moment_id, m.child_scene_id) from vcontract.bridge_scene_member m
    where m.tenant = :tenant and m.scene_id = any(:gone)
) linked
where id <> all(:gone)
order by id
