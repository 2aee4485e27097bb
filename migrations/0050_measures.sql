-- Talk, silence, hold, transfers and handle time of calls. Those of stored vCons are filled in the background, with their
-- turns; until then they count as unknown.
alter table vcontract.turn add column length double precision;

-- Null where unknown.
alter table vcontract.search_document
    add column handle_seconds double precision,
    add column talk_seconds double precision,
    add column silence_seconds double precision,
    add column longest_turn_seconds double precision,
    add column overlapping_turns integer,
    add column hold_seconds double precision,
    add column transfers integer;
insert into vcontract.word_task (tenant, kind, id) select v.tenant, 'turns', v.uuid from vcontract.vcon v
on conflict do nothing;
