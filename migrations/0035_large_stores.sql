-- Nearly every passage is of a vCon: with the kind as a key of its own, each search by words read through the places of all.
drop index vcontract.passage_words;
create index passage_words on vcontract.passage using gin (tenant, words);

-- Only recordings have a duration, among the many turns of conversations that are aggregated.
create index dialog_duration on vcontract.dialog (tenant, vcon) where doc ->> 'duration' is not null;
