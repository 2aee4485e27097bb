-- Nearly every passage is of a vCon: with the kind as a key of its own, each search by words read through the places of all.
drop index vcontract.passage_words;
create index passage_words on vcontract.passage using gin (tenant, words);
