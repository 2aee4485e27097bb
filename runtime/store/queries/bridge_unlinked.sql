-- What stays of all that had a link to one of $2: sources that reflect or are reflected on, moments, scenes, and
-- the sources and members that a moment or scene among them held.
select id from (
    select r.source_id as id from vcontract.bridge_reflection r where r.tenant = $1 and r.reflects_on = any($2)
    union
    select r.reflects_on from vcontract.bridge_reflection r where r.tenant = $1 and r.source_id = any($2)
    union
    select f.moment_id from vcontract.bridge_moment_source f where f.tenant = $1 and f.source_id = any($2)
    union
    select f.source_id from vcontract.bridge_moment_source f where f.tenant = $1 and f.moment_id = any($2)
    union
    select m.scene_id from vcontract.bridge_scene_member m
    where m.tenant = $1 and (m.moment_id = any($2) or m.child_scene_id = any($2))
    union
    select coalesce(m.moment_id, m.child_scene_id) from vcontract.bridge_scene_member m
    where m.tenant = $1 and m.scene_id = any($2)
) linked
where id <> all($2)
order by id
