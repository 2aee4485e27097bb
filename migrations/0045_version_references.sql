-- Since vCon 0.5.0 a version names the one before in amended_from or redacted_from, before that in amended or redacted.
drop index vcontract.vcon_amended;
drop index vcontract.vcon_redacted;
create index vcon_amended on vcontract.vcon
    (tenant, lower(left(coalesce(head -> 'amended_from', head -> 'amended') ->> 'uuid', 36)))
    where lower(left(coalesce(head -> 'amended_from', head -> 'amended') ->> 'uuid', 36)) is not null;
create index vcon_redacted on vcontract.vcon
    (tenant, lower(left(coalesce(head -> 'redacted_from', head -> 'redacted') ->> 'uuid', 36)))
    where lower(left(coalesce(head -> 'redacted_from', head -> 'redacted') ->> 'uuid', 36)) is not null;
