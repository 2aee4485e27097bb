-- A vCon that others belong to names them in its member group, and is found from any of them. Few name any.
create index vcon_group on vcontract.vcon using gin (tenant, vcontract.group_uuids(head))
    where (head -> 'group')::text not in ('[]', 'null');
