-- What words find.

-- One row for each thing that is found as a whole. words has no text positions:
-- the label of a word says where it stands best (A subject and parties, B dialog and analysis,
-- C attachments), the number of its positions in how many passages.
create table vcontract.search_document (
    tenant text not null,
    kind text not null,
    id uuid not null,
    occurred_at timestamptz not null,
    words tsvector not null,
    primary key (tenant, kind, id)
);
create index search_document_newest on vcontract.search_document (tenant, kind, occurred_at desc, id desc);
create index search_document_words on vcontract.search_document using gin (tenant, words);
-- Words are read by the thousand when a search ranks: they stay in the row and uncompressed.
alter table vcontract.search_document alter column words set storage external, alter column words set statistics 400;
alter table vcontract.search_document set (toast_tuple_target = 8160);

-- The text itself, in pieces of about a thousand characters; words has the positions of this piece.
create table vcontract.passage (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    content text not null,
    words tsvector not null,
    occurred_at timestamptz,
    primary key (tenant, kind, id, part, element, chunk)
);

-- Spellings that a misspelled word may be corrected to.
create table vcontract.spelling (
    tenant text not null,
    word text not null,
    primary key (tenant, word)
);
create index spelling_near on vcontract.spelling using gin (tenant, word gin_trgm_ops);

select vcontract.bind_to_tenant('search_document', 'passage', 'spelling');
