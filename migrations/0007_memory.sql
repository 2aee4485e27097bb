-- What ties transcripts to one another, and what keeps deleted ones away.

-- Ids of the records of a transcript: a summary in one file may belong to a record of another.
create table vcontract.transcript_record (
    tenant text not null,
    vcon uuid not null,
    id text not null,
    primary key (tenant, id, vcon),
    foreign key (tenant, vcon) references vcontract.transcript on delete cascade
);
create index transcript_record_vcon on vcontract.transcript_record (tenant, vcon);

-- Summaries that stand in one file and belong to the transcript that holds the record.
create table vcontract.transcript_summary (
    tenant text not null,
    record text not null,
    summary text not null,
    noted_at timestamptz not null,
    primary key (tenant, record)
);

-- A transcript that was deleted: sync does not bring it back.
create table vcontract.transcript_tombstone (
    tenant text not null,
    vcon uuid not null,
    harness text not null,
    session text not null,
    agent text,
    source_path text not null,
    archive_path text not null,
    deleted_at timestamptz not null,
    primary key (tenant, vcon)
);

select vcontract.bind_to_tenant('transcript_record', 'transcript_summary', 'transcript_tombstone');
