-- Lived experience: sources, moments, scenes.
--
-- An id is text, so that its order is the order of making; uid is the same 128 bits, as the index has them.

create table vcontract.bridge_source (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    content text not null,
    content_type text not null,
    experiencer text not null,
    experiencer_folded text not null,
    perspective text not null check (perspective in ('I', 'we', 'you', 'they')),
    processing text not null check (processing in ('during', 'right-after', 'long-after', 'crafted')),
    file text,
    when_text text,
    when_start timestamptz,
    when_end timestamptz,
    when_zone text,
    when_precision text,
    created timestamptz not null,
    modified timestamptz,
    primary key (tenant, id),
    unique (tenant, uid),
    check (when_start < when_end),
    check ((when_start is null) = (when_end is null)),
    check (when_start is null or (when_zone is not null and when_precision is not null))
);
create index bridge_source_created on vcontract.bridge_source (tenant, created desc, id desc);

-- A moment frames sources. experiencers, perspectives and processings are those of all sources underneath
-- (experiencers folded), and so is the event time unless it is its own. reframed_by stands in its place.
create table vcontract.bridge_moment (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    emoji text not null,
    summary text not null,
    narrative text,
    shot text not null check (shot in (
        'moment-of-recognition', 'sustained-attention', 'crossing-threshold', 'peripheral-awareness',
        'directed-momentum', 'holding-opposites'
    )),
    experiencer text not null,
    experiencer_folded text not null,
    when_text text,
    when_start timestamptz,
    when_end timestamptz,
    when_zone text,
    when_precision text,
    when_own boolean not null default false,
    reviewed boolean not null,
    auto_generated boolean not null,
    reframed_by text collate "C",
    experiencers text[] not null default '{}',
    perspectives text[] not null default '{}',
    processings text[] not null default '{}',
    created timestamptz not null,
    modified timestamptz,
    primary key (tenant, id),
    unique (tenant, uid),
    foreign key (tenant, reframed_by) references vcontract.bridge_moment (tenant, id),
    check (when_start < when_end),
    check ((when_start is null) = (when_end is null)),
    check (when_start is null or (when_zone is not null and when_precision is not null)),
    check (reframed_by <> id)
);
create index bridge_moment_created on vcontract.bridge_moment (tenant, created desc, id desc);
create index bridge_moment_reframed on vcontract.bridge_moment (tenant, reframed_by);

-- A scene weaves moments, or other scenes.
create table vcontract.bridge_scene (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    emoji text not null,
    summary text not null,
    narrative text not null,
    shot text not null check (shot in (
        'moment-of-recognition', 'sustained-attention', 'crossing-threshold', 'peripheral-awareness',
        'directed-momentum', 'holding-opposites'
    )),
    experiencer text not null,
    experiencer_folded text not null,
    when_text text,
    when_start timestamptz,
    when_end timestamptz,
    when_zone text,
    when_precision text,
    when_own boolean not null default false,
    reviewed boolean not null,
    auto_generated boolean not null,
    reframed_by text collate "C",
    experiencers text[] not null default '{}',
    perspectives text[] not null default '{}',
    processings text[] not null default '{}',
    created timestamptz not null,
    modified timestamptz,
    primary key (tenant, id),
    unique (tenant, uid),
    foreign key (tenant, reframed_by) references vcontract.bridge_scene (tenant, id),
    check (when_start < when_end),
    check ((when_start is null) = (when_end is null)),
    check (when_start is null or (when_zone is not null and when_precision is not null)),
    check (reframed_by <> id)
);
create index bridge_scene_created on vcontract.bridge_scene (tenant, created desc, id desc);
create index bridge_scene_reframed on vcontract.bridge_scene (tenant, reframed_by);

create table vcontract.bridge_quality (
    tenant text not null,
    moment_id text collate "C" not null,
    position integer not null,
    type text not null check (type in (
        'embodied', 'attentional', 'emotional', 'purposive', 'spatial', 'temporal', 'relational'
    )),
    manifestation text not null,
    primary key (tenant, moment_id, position),
    foreign key (tenant, moment_id) references vcontract.bridge_moment (tenant, id)
);

create table vcontract.bridge_reflection (
    tenant text not null,
    source_id text collate "C" not null,
    reflects_on text collate "C" not null,
    position integer not null,
    primary key (tenant, source_id, reflects_on),
    foreign key (tenant, source_id) references vcontract.bridge_source (tenant, id),
    foreign key (tenant, reflects_on) references vcontract.bridge_source (tenant, id),
    check (source_id <> reflects_on)
);
create index bridge_reflection_on on vcontract.bridge_reflection (tenant, reflects_on);

-- What a moment frames: a source, or the excerpt between two of its code points. A stale excerpt is no longer
-- in its source.
create table vcontract.bridge_moment_source (
    tenant text not null,
    moment_id text collate "C" not null,
    position integer not null,
    source_id text collate "C" not null,
    start_char integer,
    end_char integer,
    stale boolean not null default false,
    primary key (tenant, moment_id, position),
    foreign key (tenant, moment_id) references vcontract.bridge_moment (tenant, id),
    foreign key (tenant, source_id) references vcontract.bridge_source (tenant, id),
    check (start_char < end_char and start_char >= 0),
    check ((start_char is null) = (end_char is null)),
    check (not stale or start_char is null)
);
create index bridge_moment_source_of on vcontract.bridge_moment_source (tenant, source_id);

create table vcontract.bridge_scene_member (
    tenant text not null,
    scene_id text collate "C" not null,
    position integer not null,
    moment_id text collate "C",
    child_scene_id text collate "C",
    primary key (tenant, scene_id, position),
    foreign key (tenant, scene_id) references vcontract.bridge_scene (tenant, id),
    foreign key (tenant, moment_id) references vcontract.bridge_moment (tenant, id),
    foreign key (tenant, child_scene_id) references vcontract.bridge_scene (tenant, id),
    check (num_nonnulls(moment_id, child_scene_id) = 1),
    check (child_scene_id <> scene_id)
);
create index bridge_scene_member_moment on vcontract.bridge_scene_member (tenant, moment_id);
create index bridge_scene_member_scene on vcontract.bridge_scene_member (tenant, child_scene_id);

-- That a record was there; never what it held.
create table vcontract.bridge_tombstone (
    tenant text not null,
    id text collate "C" not null,
    type text not null check (type in ('source', 'moment', 'scene')),
    released_at timestamptz not null,
    cause_id text collate "C" not null,
    primary key (tenant, id)
);
create index bridge_tombstone_at on vcontract.bridge_tombstone (tenant, released_at);

-- What autoframe and autoweave could not do; never text of a record or of an answer.
create table vcontract.bridge_processing_error (
    tenant text not null,
    id uuid not null,
    kind text not null check (kind in ('framing', 'weaving')),
    error_code text not null,
    reason text not null,
    record_ids text[] not null,
    attempts integer not null,
    model text not null,
    occurred_at timestamptz not null,
    resolved_at timestamptz,
    primary key (tenant, id)
);
create index bridge_processing_error_at on vcontract.bridge_processing_error (tenant, occurred_at);

select vcontract.bind_to_tenant(
    'bridge_source', 'bridge_moment', 'bridge_scene', 'bridge_quality', 'bridge_reflection',
    'bridge_moment_source', 'bridge_scene_member', 'bridge_tombstone', 'bridge_processing_error'
);
