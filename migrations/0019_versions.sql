-- What was made of a vCon is found by what it says itself: that it amends or redacts that one. Few say so.
create index vcon_amended on vcontract.vcon (tenant, lower(left(head #>> '{amended,uuid}', 36)))
    where lower(left(head #>> '{amended,uuid}', 36)) is not null;
create index vcon_redacted on vcontract.vcon (tenant, lower(left(head #>> '{redacted,uuid}', 36)))
    where lower(left(head #>> '{redacted,uuid}', 36)) is not null;
