-- What else people are called. An alias has one of the three texts by which parties are compared (see vcontract.party), so
-- that a condition on a party p holds for an alias p too. The first name that a person was given stands for the person.
create table vcontract.alias (
    tenant text not null,
    person text not null,
    written text not null,
    name_folded text not null default '',
    email_folded text not null default '',
    tel_digits text not null default '',
    primary key (tenant, name_folded, email_folded, tel_digits),
    check ((name_folded <> '')::integer + (email_folded <> '')::integer + (tel_digits <> '')::integer = 1)
);
create index alias_person on vcontract.alias (tenant, person);

select vcontract.bind_to_tenant('alias');
