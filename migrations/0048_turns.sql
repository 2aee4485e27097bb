-- What was said, by whom and when, turn by turn. Turns of stored vCons are filled in the background; until then what was
-- said in them counts as unknown.
create table vcontract.turn (
    tenant text not null,
    vcon uuid not null,
    -- -1 for turns of a transcript without a dialog
    dialog integer not null,
    -- -1 for a recording itself
    number integer not null,
    speaker text,
    role text,
    -- seconds from the start of the conversation
    starts double precision,
    ends double precision,
    words tsvector,
    is_missing boolean not null,
    primary key (tenant, vcon, dialog, number)
);
create index turn_words on vcontract.turn using gin (tenant, words);
select vcontract.bind_to_tenant('turn');
select vcontract.bind_to_consent('vcon', 'turn');

-- Bits: all words, times, roles and speakers are known; null before its turns are read.
alter table vcontract.search_document add column turns_known smallint;
insert into vcontract.word_task (tenant, kind, id) select v.tenant, 'turns', v.uuid from vcontract.vcon v;
