-- What is most worth telling of what was learned in a project, over all its sessions: the newest first, where each time
-- that it was stored again counts for two weeks (eight at most), and a mark of importance for four.
select id, content, tags, stored_at from vcontract.reflection
where tenant = :tenant and project = :project
order by least(repeated, 4) * 14
    + case when tags && '{important,rating:4,rating:5}'::text[] then 28 else 0 end
    - extract(epoch from now() - stored_at) / 86400 desc, id desc
limit :most
