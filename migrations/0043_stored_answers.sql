-- What is kept for later is answered as consent is when it is read, not as it was when it was written.

-- An answer that is kept belongs to the purposes that it was given for, and names the conversations it is of.
alter table vcontract.request
    add column purposes text not null default coalesce(vcontract.current_purposes(), ''),
    add column vcons uuid[] not null default '{}',
    drop constraint request_pkey,
    add primary key (tenant, tool, key, purposes);
alter table vcontract.result_cache add column vcons uuid[] not null default '{}';
delete from vcontract.result_cache where purposes <> '';

create policy same_purposes on vcontract.request as restrictive
    using (purposes = coalesce(vcontract.current_purposes(), '')) with check (true);
create policy consented on vcontract.request as restrictive
    using (expires_at <= now() or not vcons && array(select vcontract.withheld())) with check (true);
create policy consented on vcontract.result_cache as restrictive
    using (not vcons && array(select vcontract.withheld())) with check (true);

-- Names of people, as far as conversations that are answered have them.
create policy consented on vcontract.alias as restrictive
    using (vcontract.current_purposes() is null or (name_folded, email_folded, tel_digits) in (
        select a.name_folded, a.email_folded, a.tel_digits from vcontract.answered_aliases() a))
    with check (true);

-- The same for functions that run with their owner's rights, whom no policy binds.
create view vcontract.answered_alias with (security_invoker = true) as
select a.* from vcontract.alias a
where a.tenant = vcontract.current_tenant()
    and (vcontract.current_purposes() is null or (a.name_folded, a.email_folded, a.tel_digits) in (
        select n.name_folded, n.email_folded, n.tel_digits from vcontract.answered_aliases() n));
grant select on vcontract.answered_alias to vcontract_server;
