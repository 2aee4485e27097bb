-- Transcripts of agents: the file that a vCon was imported from, its exchanges, and the files that they changed.

-- One file of a session. `path` of the memory tools is archive_path or source_path; only a row leads to a file.
create table vcontract.transcript (
    tenant text not null,
    vcon uuid not null,
    harness text not null,
    session text not null,
    -- The sub-agent whose file it is.
    agent text,
    -- Whether it is a sub-agent's file: search leaves it aside.
    sidechain boolean not null,
    project text not null,
    cwd text,
    git_branch text,
    title text,
    -- One line about the session, at most 300 characters.
    summary text not null,
    source_path text not null,
    source_size bigint not null,
    source_mtime_ns bigint not null,
    -- What of the source was imported: its first bytes, and their SHA-256.
    imported_bytes bigint not null,
    imported_hash bytea not null,
    archive_path text not null,
    archive_size bigint not null,
    archive_hash bytea not null,
    -- Physical lines of the archive, exchanges of the main sequence, lines that cannot be read, secrets replaced.
    lines integer not null,
    exchanges integer not null,
    malformed integer not null,
    redactions integer not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    imported_at timestamptz not null,
    -- Subject and tags as import gave them: what a person changed since stays.
    given json not null,
    primary key (tenant, vcon),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);
create index transcript_source on vcontract.transcript (tenant, source_path);
create index transcript_archive on vcontract.transcript (tenant, archive_path);
create index transcript_project on vcontract.transcript (tenant, lower(project));

-- One prompt of the person and everything up to the next one. id is that of its search_document (kind exchange);
-- number is negative for a sub-agent's exchange inside a main file. Dialogs from dialog_from until before dialog_to.
create table vcontract.transcript_exchange (
    tenant text not null,
    vcon uuid not null,
    number integer not null,
    id uuid not null,
    line_start integer not null,
    line_end integer not null,
    dialog_from integer not null,
    dialog_to integer not null,
    started_at timestamptz not null,
    ended_at timestamptz not null,
    sidechain boolean not null,
    -- Of what is said in it, as it was imported; null when that is nothing.
    digest bytea,
    primary key (tenant, vcon, number),
    foreign key (tenant, vcon) references vcontract.transcript on delete cascade
);
create index transcript_exchange_id on vcontract.transcript_exchange (tenant, id);
create index transcript_exchange_sidechain on vcontract.transcript_exchange (tenant, id) where sidechain;

-- A file that an exchange changed.
create table vcontract.transcript_file (
    tenant text not null,
    vcon uuid not null,
    exchange integer not null,
    path text not null,
    relative_path text,
    operation text not null check (operation in ('add', 'edit', 'delete', 'rename')),
    edits integer not null,
    primary key (tenant, vcon, exchange, path),
    foreign key (tenant, vcon) references vcontract.transcript on delete cascade
);

select vcontract.bind_to_tenant('transcript', 'transcript_exchange', 'transcript_file');
