-- Working sessions: projects, sessions and their checkpoints, reflections, cached results.

-- A folder that sessions worked in. id is made from tenant and root, so that a project has one row.
create table vcontract.project (
    tenant text not null,
    id uuid not null,
    root text not null,
    name text not null,
    name_folded text not null,
    seen_at timestamptz not null,
    primary key (tenant, id)
);
create index project_name on vcontract.project (tenant, name_folded);

-- Projects that belong together. `manifest` says that a project's own files say so, `declared` that a person did.
create table vcontract.project_link (
    tenant text not null,
    project uuid not null,
    other uuid not null,
    kind text not null check (kind in ('uses', 'extends', 'references', 'shares_code')),
    origin text not null check (origin in ('declared', 'manifest')),
    primary key (tenant, project, other, kind, origin),
    foreign key (tenant, project) references vcontract.project on delete cascade,
    foreign key (tenant, other) references vcontract.project (tenant, id) on delete cascade
);
create index project_link_other on vcontract.project_link (tenant, other);

-- A working session of one caller. connection, host, pid and pid_started tell whether somebody still holds it; pid is
-- null where one process serves many connections.
create table vcontract.work_session (
    tenant text not null,
    id uuid not null,
    caller text not null,
    project uuid,
    state text not null check (state in ('active', 'ended', 'abandoned')),
    directory text,
    start_commit text,
    start_score integer,
    final_score integer,
    connection text,
    host text not null,
    pid integer,
    pid_started double precision,
    lock_digest bytea,
    sync json,
    started_at timestamptz not null,
    last_seen_at timestamptz not null,
    ended_at timestamptz,
    handoff json,
    primary key (tenant, id),
    foreign key (tenant, project) references vcontract.project (tenant, id)
);
create index work_session_caller on vcontract.work_session (tenant, caller, state, last_seen_at desc);
create index work_session_project on vcontract.work_session (tenant, project, ended_at desc);

create table vcontract.session_checkpoint (
    tenant text not null,
    session uuid not null,
    id uuid not null,
    at timestamptz not null,
    score integer not null,
    commit text,
    primary key (tenant, session, id),
    foreign key (tenant, session) references vcontract.work_session (tenant, id) on delete cascade
);

-- What somebody wanted remembered, exactly as stored; its passages are of kind `reflection`. digest is that of the text
-- in NFC with white space collapsed.
create table vcontract.reflection (
    tenant text not null,
    id uuid not null,
    project uuid,
    session uuid,
    content text not null,
    digest bytea not null,
    tags text[] not null,
    redactions integer not null,
    stored_at timestamptz not null,
    primary key (tenant, id),
    foreign key (tenant, project) references vcontract.project (tenant, id)
);
create index reflection_digest on vcontract.reflection (tenant, digest);
create index reflection_session on vcontract.reflection (tenant, session);
create index reflection_project on vcontract.reflection (tenant, project);

-- Answers of a caller that are read on: chunks of one answer, or the references of a list.
create table vcontract.result_cache (
    tenant text not null,
    key text not null,
    caller text not null,
    tool text not null,
    query_digest bytea,
    content json not null,
    made_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (tenant, key)
);
create index result_cache_caller on vcontract.result_cache (tenant, caller, made_at);

select vcontract.bind_to_tenant(
    'project', 'project_link', 'work_session', 'session_checkpoint', 'reflection', 'result_cache'
);
