-- vCons are found by what they have: a type of analysis, a purpose of attachments, a role. How frequent each is, is known with it.
create index vcon_features on vcontract.vcon using gin (tenant, features);
