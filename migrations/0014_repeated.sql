-- How often the same was stored again: what is said more than once is worth telling first.
alter table vcontract.reflection add column repeated integer not null default 0;
