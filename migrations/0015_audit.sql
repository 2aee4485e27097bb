-- The audit tells what came of what was asked, can be read by time, and has an end.

alter table vcontract.audit
    add column outcome text not null default 'done' check (outcome in ('done', 'refused'));
create index audit_at on vcontract.audit (at);

-- How many days things are kept. Whoever owns the schema decides; the server's role neither sees nor changes it.
create table vcontract.retention (
    what text primary key check (what = 'audit'),
    days integer not null check (days > 0)
);
insert into vcontract.retention (what, days) values ('audit', 400);
