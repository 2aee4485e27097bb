-- What the migrations of this folder add up to. Made by: python -m vcontract.runtime.store.schema
-- For reading only: databases are made by the migrations themselves.

create extension btree_gin;
create extension pg_trgm;
create extension vector;

create table vcontract.analysis (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    type text,
    vendor text,
    constraint analysis_pkey PRIMARY KEY (tenant, vcon, index),
    constraint analysis_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
alter table vcontract.analysis enable row level security;
create policy own_tenant on vcontract.analysis as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.attachment (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    purpose text,
    constraint attachment_pkey PRIMARY KEY (tenant, vcon, index),
    constraint attachment_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
alter table vcontract.attachment enable row level security;
create policy own_tenant on vcontract.attachment as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.audit (
    tenant text not null,
    id uuid not null,
    at timestamp with time zone not null,
    caller text not null,
    action text not null,
    vcon uuid,
    detail json,
    constraint audit_pkey PRIMARY KEY (tenant, id)
);
alter table vcontract.audit enable row level security;
create policy own_tenant on vcontract.audit as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_moment (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    emoji text not null,
    summary text not null,
    narrative text,
    shot text not null,
    experiencer text not null,
    experiencer_folded text not null,
    when_text text,
    when_start timestamp with time zone,
    when_end timestamp with time zone,
    when_zone text,
    when_precision text,
    when_own boolean not null default false,
    reviewed boolean not null,
    auto_generated boolean not null,
    reframed_by text collate "C",
    experiencers text[] not null default '{}'::text[],
    perspectives text[] not null default '{}'::text[],
    processings text[] not null default '{}'::text[],
    created timestamp with time zone not null,
    modified timestamp with time zone,
    constraint bridge_moment_pkey PRIMARY KEY (tenant, id),
    constraint bridge_moment_tenant_uid_key UNIQUE (tenant, uid),
    constraint bridge_moment_tenant_reframed_by_fkey FOREIGN KEY (tenant, reframed_by) REFERENCES vcontract.bridge_moment(tenant, id),
    constraint bridge_moment_check CHECK ((when_start < when_end)),
    constraint bridge_moment_check1 CHECK (((when_start IS NULL) = (when_end IS NULL))),
    constraint bridge_moment_check2 CHECK (((when_start IS NULL) OR ((when_zone IS NOT NULL) AND (when_precision IS NOT NULL)))),
    constraint bridge_moment_check3 CHECK ((reframed_by <> id)),
    constraint bridge_moment_shot_check CHECK ((shot = ANY (ARRAY['moment-of-recognition'::text, 'sustained-attention'::text, 'crossing-threshold'::text, 'peripheral-awareness'::text, 'directed-momentum'::text, 'holding-opposites'::text])))
);
CREATE INDEX bridge_moment_created ON vcontract.bridge_moment USING btree (tenant, created DESC, id DESC);
CREATE INDEX bridge_moment_reframed ON vcontract.bridge_moment USING btree (tenant, reframed_by);
alter table vcontract.bridge_moment enable row level security;
create policy own_tenant on vcontract.bridge_moment as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_moment_source (
    tenant text not null,
    moment_id text collate "C" not null,
    "position" integer not null,
    source_id text collate "C" not null,
    start_char integer,
    end_char integer,
    stale boolean not null default false,
    constraint bridge_moment_source_pkey PRIMARY KEY (tenant, moment_id, "position"),
    constraint bridge_moment_source_tenant_moment_id_fkey FOREIGN KEY (tenant, moment_id) REFERENCES vcontract.bridge_moment(tenant, id),
    constraint bridge_moment_source_tenant_source_id_fkey FOREIGN KEY (tenant, source_id) REFERENCES vcontract.bridge_source(tenant, id),
    constraint bridge_moment_source_check CHECK (((start_char < end_char) AND (start_char >= 0))),
    constraint bridge_moment_source_check1 CHECK (((start_char IS NULL) = (end_char IS NULL))),
    constraint bridge_moment_source_check2 CHECK (((NOT stale) OR (start_char IS NULL)))
);
CREATE INDEX bridge_moment_source_of ON vcontract.bridge_moment_source USING btree (tenant, source_id);
alter table vcontract.bridge_moment_source enable row level security;
create policy own_tenant on vcontract.bridge_moment_source as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_processing_error (
    tenant text not null,
    id uuid not null,
    kind text not null,
    error_code text not null,
    reason text not null,
    record_ids text[] not null,
    attempts integer not null,
    model text not null,
    occurred_at timestamp with time zone not null,
    resolved_at timestamp with time zone,
    constraint bridge_processing_error_pkey PRIMARY KEY (tenant, id),
    constraint bridge_processing_error_kind_check CHECK ((kind = ANY (ARRAY['framing'::text, 'weaving'::text])))
);
CREATE INDEX bridge_processing_error_at ON vcontract.bridge_processing_error USING btree (tenant, occurred_at);
alter table vcontract.bridge_processing_error enable row level security;
create policy own_tenant on vcontract.bridge_processing_error as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_quality (
    tenant text not null,
    moment_id text collate "C" not null,
    "position" integer not null,
    type text not null,
    manifestation text not null,
    constraint bridge_quality_pkey PRIMARY KEY (tenant, moment_id, "position"),
    constraint bridge_quality_tenant_moment_id_fkey FOREIGN KEY (tenant, moment_id) REFERENCES vcontract.bridge_moment(tenant, id),
    constraint bridge_quality_type_check CHECK ((type = ANY (ARRAY['embodied'::text, 'attentional'::text, 'emotional'::text, 'purposive'::text, 'spatial'::text, 'temporal'::text, 'relational'::text])))
);
alter table vcontract.bridge_quality enable row level security;
create policy own_tenant on vcontract.bridge_quality as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_reflection (
    tenant text not null,
    source_id text collate "C" not null,
    reflects_on text collate "C" not null,
    "position" integer not null,
    constraint bridge_reflection_pkey PRIMARY KEY (tenant, source_id, reflects_on),
    constraint bridge_reflection_tenant_reflects_on_fkey FOREIGN KEY (tenant, reflects_on) REFERENCES vcontract.bridge_source(tenant, id),
    constraint bridge_reflection_tenant_source_id_fkey FOREIGN KEY (tenant, source_id) REFERENCES vcontract.bridge_source(tenant, id),
    constraint bridge_reflection_check CHECK ((source_id <> reflects_on))
);
CREATE INDEX bridge_reflection_on ON vcontract.bridge_reflection USING btree (tenant, reflects_on);
alter table vcontract.bridge_reflection enable row level security;
create policy own_tenant on vcontract.bridge_reflection as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_scene (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    emoji text not null,
    summary text not null,
    narrative text not null,
    shot text not null,
    experiencer text not null,
    experiencer_folded text not null,
    when_text text,
    when_start timestamp with time zone,
    when_end timestamp with time zone,
    when_zone text,
    when_precision text,
    when_own boolean not null default false,
    reviewed boolean not null,
    auto_generated boolean not null,
    reframed_by text collate "C",
    experiencers text[] not null default '{}'::text[],
    perspectives text[] not null default '{}'::text[],
    processings text[] not null default '{}'::text[],
    created timestamp with time zone not null,
    modified timestamp with time zone,
    constraint bridge_scene_pkey PRIMARY KEY (tenant, id),
    constraint bridge_scene_tenant_uid_key UNIQUE (tenant, uid),
    constraint bridge_scene_tenant_reframed_by_fkey FOREIGN KEY (tenant, reframed_by) REFERENCES vcontract.bridge_scene(tenant, id),
    constraint bridge_scene_check CHECK ((when_start < when_end)),
    constraint bridge_scene_check1 CHECK (((when_start IS NULL) = (when_end IS NULL))),
    constraint bridge_scene_check2 CHECK (((when_start IS NULL) OR ((when_zone IS NOT NULL) AND (when_precision IS NOT NULL)))),
    constraint bridge_scene_check3 CHECK ((reframed_by <> id)),
    constraint bridge_scene_shot_check CHECK ((shot = ANY (ARRAY['moment-of-recognition'::text, 'sustained-attention'::text, 'crossing-threshold'::text, 'peripheral-awareness'::text, 'directed-momentum'::text, 'holding-opposites'::text])))
);
CREATE INDEX bridge_scene_created ON vcontract.bridge_scene USING btree (tenant, created DESC, id DESC);
CREATE INDEX bridge_scene_reframed ON vcontract.bridge_scene USING btree (tenant, reframed_by);
alter table vcontract.bridge_scene enable row level security;
create policy own_tenant on vcontract.bridge_scene as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_scene_member (
    tenant text not null,
    scene_id text collate "C" not null,
    "position" integer not null,
    moment_id text collate "C",
    child_scene_id text collate "C",
    constraint bridge_scene_member_pkey PRIMARY KEY (tenant, scene_id, "position"),
    constraint bridge_scene_member_tenant_child_scene_id_fkey FOREIGN KEY (tenant, child_scene_id) REFERENCES vcontract.bridge_scene(tenant, id),
    constraint bridge_scene_member_tenant_moment_id_fkey FOREIGN KEY (tenant, moment_id) REFERENCES vcontract.bridge_moment(tenant, id),
    constraint bridge_scene_member_tenant_scene_id_fkey FOREIGN KEY (tenant, scene_id) REFERENCES vcontract.bridge_scene(tenant, id),
    constraint bridge_scene_member_check CHECK ((num_nonnulls(moment_id, child_scene_id) = 1)),
    constraint bridge_scene_member_check1 CHECK ((child_scene_id <> scene_id))
);
CREATE INDEX bridge_scene_member_moment ON vcontract.bridge_scene_member USING btree (tenant, moment_id);
CREATE INDEX bridge_scene_member_scene ON vcontract.bridge_scene_member USING btree (tenant, child_scene_id);
alter table vcontract.bridge_scene_member enable row level security;
create policy own_tenant on vcontract.bridge_scene_member as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_source (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    content text not null,
    content_type text not null,
    experiencer text not null,
    experiencer_folded text not null,
    perspective text not null,
    processing text not null,
    file text,
    when_text text,
    when_start timestamp with time zone,
    when_end timestamp with time zone,
    when_zone text,
    when_precision text,
    created timestamp with time zone not null,
    modified timestamp with time zone,
    constraint bridge_source_pkey PRIMARY KEY (tenant, id),
    constraint bridge_source_tenant_uid_key UNIQUE (tenant, uid),
    constraint bridge_source_check CHECK ((when_start < when_end)),
    constraint bridge_source_check1 CHECK (((when_start IS NULL) = (when_end IS NULL))),
    constraint bridge_source_check2 CHECK (((when_start IS NULL) OR ((when_zone IS NOT NULL) AND (when_precision IS NOT NULL)))),
    constraint bridge_source_perspective_check CHECK ((perspective = ANY (ARRAY['I'::text, 'we'::text, 'you'::text, 'they'::text]))),
    constraint bridge_source_processing_check CHECK ((processing = ANY (ARRAY['during'::text, 'right-after'::text, 'long-after'::text, 'crafted'::text])))
);
CREATE INDEX bridge_source_created ON vcontract.bridge_source USING btree (tenant, created DESC, id DESC);
alter table vcontract.bridge_source enable row level security;
create policy own_tenant on vcontract.bridge_source as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.bridge_tombstone (
    tenant text not null,
    id text collate "C" not null,
    type text not null,
    released_at timestamp with time zone not null,
    cause_id text collate "C" not null,
    constraint bridge_tombstone_pkey PRIMARY KEY (tenant, id),
    constraint bridge_tombstone_type_check CHECK ((type = ANY (ARRAY['source'::text, 'moment'::text, 'scene'::text])))
);
CREATE INDEX bridge_tombstone_at ON vcontract.bridge_tombstone USING btree (tenant, released_at);
alter table vcontract.bridge_tombstone enable row level security;
create policy own_tenant on vcontract.bridge_tombstone as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.dealer (
    tenant text not null,
    vcon uuid not null,
    id text not null,
    name text,
    name_folded text not null,
    team_id text,
    team_name text,
    doc json not null,
    constraint dealer_pkey PRIMARY KEY (tenant, vcon),
    constraint dealer_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
CREATE INDEX dealer_id ON vcontract.dealer USING btree (tenant, id, vcon);
CREATE INDEX dealer_name ON vcontract.dealer USING gin (tenant, name_folded public.gin_trgm_ops);
alter table vcontract.dealer enable row level security;
create policy own_tenant on vcontract.dealer as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.dialog (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    type text,
    constraint dialog_pkey PRIMARY KEY (tenant, vcon, index),
    constraint dialog_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
alter table vcontract.dialog enable row level security;
create policy own_tenant on vcontract.dialog as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.embedding (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    space integer not null,
    vector public.halfvec not null,
    made_of bigint,
    constraint embedding_pkey PRIMARY KEY (tenant, kind, id, part, element, chunk, space)
) partition by LIST (space);
alter table vcontract.embedding enable row level security;
create policy own_tenant on vcontract.embedding as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.embedding_1 (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    space integer not null,
    vector public.halfvec not null,
    made_of bigint,
    constraint embedding_1_pkey PRIMARY KEY (tenant, kind, id, part, element, chunk, space)
);
CREATE INDEX embedding_1_near ON vcontract.embedding_1 USING hnsw (((vector)::public.halfvec(384)) public.halfvec_ip_ops) WITH (m='16', ef_construction='64');
alter table vcontract.embedding attach partition vcontract.embedding_1 FOR VALUES IN (1);

create table vcontract.embedding_space (
    id integer not null,
    model text not null,
    dimension integer not null,
    state text not null,
    recipe json not null,
    calibration double precision[],
    filled boolean not null,
    changed_at timestamp with time zone not null default now(),
    constraint embedding_space_pkey PRIMARY KEY (id),
    constraint embedding_space_calibration_check CHECK ((cardinality(calibration) = 3)),
    constraint embedding_space_dimension_check CHECK (((dimension >= 1) AND (dimension <= 4000))),
    constraint embedding_space_state_check CHECK ((state = ANY (ARRAY['building'::text, 'active'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX embedding_space_active ON vcontract.embedding_space USING btree (state) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX embedding_space_model ON vcontract.embedding_space USING btree (model) WHERE (state <> 'retired'::text);

create table vcontract.embedding_task (
    tenant text not null,
    kind text not null,
    id uuid not null,
    space integer not null,
    passages integer not null,
    due_at timestamp with time zone not null,
    claim uuid,
    attempts integer not null default 0,
    constraint embedding_task_pkey PRIMARY KEY (tenant, kind, id, space)
);
CREATE INDEX embedding_task_due ON vcontract.embedding_task USING btree (space, due_at);
alter table vcontract.embedding_task enable row level security;
create policy own_tenant on vcontract.embedding_task as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.migration (
    version integer not null,
    name text not null,
    checksum text not null,
    applied_at timestamp with time zone not null default now(),
    constraint migration_pkey PRIMARY KEY (version)
);

create table vcontract.party (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    name_folded text not null,
    email_folded text not null,
    tel_digits text not null,
    constraint party_pkey PRIMARY KEY (tenant, vcon, index),
    constraint party_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
CREATE INDEX party_email ON vcontract.party USING gin (tenant, email_folded public.gin_trgm_ops);
CREATE INDEX party_name ON vcontract.party USING gin (tenant, name_folded public.gin_trgm_ops);
CREATE INDEX party_tel ON vcontract.party USING gin (tenant, tel_digits public.gin_trgm_ops);
alter table vcontract.party enable row level security;
create policy own_tenant on vcontract.party as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.passage (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    content text not null,
    words tsvector not null,
    occurred_at timestamp with time zone,
    constraint passage_pkey PRIMARY KEY (tenant, kind, id, part, element, chunk)
);
alter table vcontract.passage enable row level security;
create policy own_tenant on vcontract.passage as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.project (
    tenant text not null,
    id uuid not null,
    root text not null,
    name text not null,
    name_folded text not null,
    seen_at timestamp with time zone not null,
    constraint project_pkey PRIMARY KEY (tenant, id)
);
CREATE INDEX project_name ON vcontract.project USING btree (tenant, name_folded);
alter table vcontract.project enable row level security;
create policy own_tenant on vcontract.project as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.project_link (
    tenant text not null,
    project uuid not null,
    other uuid not null,
    kind text not null,
    origin text not null,
    constraint project_link_pkey PRIMARY KEY (tenant, project, other, kind, origin),
    constraint project_link_tenant_other_fkey FOREIGN KEY (tenant, other) REFERENCES vcontract.project(tenant, id) ON DELETE CASCADE,
    constraint project_link_tenant_project_fkey FOREIGN KEY (tenant, project) REFERENCES vcontract.project(tenant, id) ON DELETE CASCADE,
    constraint project_link_kind_check CHECK ((kind = ANY (ARRAY['uses'::text, 'extends'::text, 'references'::text, 'shares_code'::text]))),
    constraint project_link_origin_check CHECK ((origin = ANY (ARRAY['declared'::text, 'manifest'::text])))
);
CREATE INDEX project_link_other ON vcontract.project_link USING btree (tenant, other);
alter table vcontract.project_link enable row level security;
create policy own_tenant on vcontract.project_link as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.reflection (
    tenant text not null,
    id uuid not null,
    project uuid,
    session uuid,
    content text not null,
    digest bytea not null,
    tags text[] not null,
    redactions integer not null,
    stored_at timestamp with time zone not null,
    constraint reflection_pkey PRIMARY KEY (tenant, id),
    constraint reflection_tenant_project_fkey FOREIGN KEY (tenant, project) REFERENCES vcontract.project(tenant, id)
);
CREATE INDEX reflection_digest ON vcontract.reflection USING btree (tenant, digest);
CREATE INDEX reflection_project ON vcontract.reflection USING btree (tenant, project);
CREATE INDEX reflection_session ON vcontract.reflection USING btree (tenant, session);
alter table vcontract.reflection enable row level security;
create policy own_tenant on vcontract.reflection as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.result_cache (
    tenant text not null,
    key text not null,
    caller text not null,
    tool text not null,
    query_digest bytea,
    content json not null,
    made_at timestamp with time zone not null,
    expires_at timestamp with time zone not null,
    constraint result_cache_pkey PRIMARY KEY (tenant, key)
);
CREATE INDEX result_cache_caller ON vcontract.result_cache USING btree (tenant, caller, made_at);
alter table vcontract.result_cache enable row level security;
create policy own_tenant on vcontract.result_cache as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.search_document (
    tenant text not null,
    kind text not null,
    id uuid not null,
    occurred_at timestamp with time zone not null,
    words tsvector not null,
    constraint search_document_pkey PRIMARY KEY (tenant, kind, id)
) with (toast_tuple_target=8160);
CREATE INDEX search_document_newest ON vcontract.search_document USING btree (tenant, kind, occurred_at DESC, id DESC);
CREATE INDEX search_document_words ON vcontract.search_document USING gin (tenant, words);
alter table vcontract.search_document alter column words set statistics 400;
alter table vcontract.search_document alter column words set storage external;
alter table vcontract.search_document enable row level security;
create policy own_tenant on vcontract.search_document as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.session_checkpoint (
    tenant text not null,
    session uuid not null,
    id uuid not null,
    at timestamp with time zone not null,
    score integer not null,
    commit text,
    constraint session_checkpoint_pkey PRIMARY KEY (tenant, session, id),
    constraint session_checkpoint_tenant_session_fkey FOREIGN KEY (tenant, session) REFERENCES vcontract.work_session(tenant, id) ON DELETE CASCADE
);
alter table vcontract.session_checkpoint enable row level security;
create policy own_tenant on vcontract.session_checkpoint as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.shared_secret (
    name text not null,
    value bytea not null,
    constraint shared_secret_pkey PRIMARY KEY (name)
);

create table vcontract.spelling (
    tenant text not null,
    word text not null,
    constraint spelling_pkey PRIMARY KEY (tenant, word)
);
CREATE INDEX spelling_near ON vcontract.spelling USING gin (tenant, word public.gin_trgm_ops);
alter table vcontract.spelling enable row level security;
create policy own_tenant on vcontract.spelling as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.tag (
    tenant text not null,
    vcon uuid not null,
    key text not null,
    value text not null,
    type text not null,
    constraint tag_pkey PRIMARY KEY (tenant, vcon, key),
    constraint tag_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE,
    constraint tag_type_check CHECK ((type = ANY (ARRAY['string'::text, 'number'::text, 'boolean'::text])))
);
CREATE INDEX tag_value ON vcontract.tag USING btree (tenant, key, "left"(value, 256), vcon);
CREATE STATISTICS vcontract.tag_pairs (mcv) ON tenant, key, "left"(value, 256) FROM vcontract.tag;
alter table vcontract.tag enable row level security;
create policy own_tenant on vcontract.tag as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript (
    tenant text not null,
    vcon uuid not null,
    harness text not null,
    session text not null,
    agent text,
    sidechain boolean not null,
    project text not null,
    cwd text,
    git_branch text,
    title text,
    summary text not null,
    source_path text not null,
    source_size bigint not null,
    source_mtime_ns bigint not null,
    imported_bytes bigint not null,
    imported_hash bytea not null,
    archive_path text not null,
    archive_size bigint not null,
    archive_hash bytea not null,
    lines integer not null,
    exchanges integer not null,
    malformed integer not null,
    redactions integer not null,
    started_at timestamp with time zone not null,
    ended_at timestamp with time zone not null,
    imported_at timestamp with time zone not null,
    given json not null,
    constraint transcript_pkey PRIMARY KEY (tenant, vcon),
    constraint transcript_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.vcon(tenant, uuid) ON DELETE CASCADE
);
CREATE INDEX transcript_archive ON vcontract.transcript USING btree (tenant, archive_path);
CREATE INDEX transcript_project ON vcontract.transcript USING btree (tenant, lower(project));
CREATE INDEX transcript_source ON vcontract.transcript USING btree (tenant, source_path);
alter table vcontract.transcript enable row level security;
create policy own_tenant on vcontract.transcript as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript_exchange (
    tenant text not null,
    vcon uuid not null,
    number integer not null,
    id uuid not null,
    line_start integer not null,
    line_end integer not null,
    dialog_from integer not null,
    dialog_to integer not null,
    started_at timestamp with time zone not null,
    ended_at timestamp with time zone not null,
    sidechain boolean not null,
    digest bytea,
    constraint transcript_exchange_pkey PRIMARY KEY (tenant, vcon, number),
    constraint transcript_exchange_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.transcript(tenant, vcon) ON DELETE CASCADE
);
CREATE INDEX transcript_exchange_id ON vcontract.transcript_exchange USING btree (tenant, id);
CREATE INDEX transcript_exchange_sidechain ON vcontract.transcript_exchange USING btree (tenant, id) WHERE sidechain;
alter table vcontract.transcript_exchange enable row level security;
create policy own_tenant on vcontract.transcript_exchange as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript_file (
    tenant text not null,
    vcon uuid not null,
    exchange integer not null,
    path text not null,
    relative_path text,
    operation text not null,
    edits integer not null,
    constraint transcript_file_pkey PRIMARY KEY (tenant, vcon, exchange, path),
    constraint transcript_file_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.transcript(tenant, vcon) ON DELETE CASCADE,
    constraint transcript_file_operation_check CHECK ((operation = ANY (ARRAY['add'::text, 'edit'::text, 'delete'::text, 'rename'::text])))
);
alter table vcontract.transcript_file enable row level security;
create policy own_tenant on vcontract.transcript_file as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript_record (
    tenant text not null,
    vcon uuid not null,
    id text not null,
    constraint transcript_record_pkey PRIMARY KEY (tenant, id, vcon),
    constraint transcript_record_tenant_vcon_fkey FOREIGN KEY (tenant, vcon) REFERENCES vcontract.transcript(tenant, vcon) ON DELETE CASCADE
);
CREATE INDEX transcript_record_vcon ON vcontract.transcript_record USING btree (tenant, vcon);
alter table vcontract.transcript_record enable row level security;
create policy own_tenant on vcontract.transcript_record as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript_summary (
    tenant text not null,
    record text not null,
    summary text not null,
    noted_at timestamp with time zone not null,
    constraint transcript_summary_pkey PRIMARY KEY (tenant, record)
);
alter table vcontract.transcript_summary enable row level security;
create policy own_tenant on vcontract.transcript_summary as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.transcript_tombstone (
    tenant text not null,
    vcon uuid not null,
    harness text not null,
    session text not null,
    agent text,
    source_path text not null,
    archive_path text not null,
    deleted_at timestamp with time zone not null,
    constraint transcript_tombstone_pkey PRIMARY KEY (tenant, vcon)
);
alter table vcontract.transcript_tombstone enable row level security;
create policy own_tenant on vcontract.transcript_tombstone as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.vcon (
    tenant text not null,
    uuid uuid not null,
    created_at timestamp with time zone not null,
    stored_at timestamp with time zone not null,
    updated_at timestamp with time zone not null,
    spec_version text not null,
    subject_folded text not null,
    head json not null,
    metadata json not null,
    conformance json not null,
    signed_form text,
    content_digest bytea not null,
    parties integer not null,
    dialogs integer not null,
    analyses integer not null,
    attachments integer not null,
    tag_carriers text not null,
    features text[] not null default '{}'::text[],
    constraint vcon_pkey PRIMARY KEY (tenant, uuid),
    constraint vcon_tag_carriers_check CHECK ((tag_carriers = ANY (ARRAY['none'::text, 'attachments'::text, 'top_level'::text])))
);
CREATE INDEX vcon_newest ON vcontract.vcon USING btree (tenant, created_at DESC, uuid DESC);
CREATE INDEX vcon_sample ON vcontract.vcon USING btree (tenant, uuid_hash(uuid), uuid);
CREATE INDEX vcon_subject ON vcontract.vcon USING gin (tenant, subject_folded public.gin_trgm_ops);
alter table vcontract.vcon enable row level security;
create policy own_tenant on vcontract.vcon as permissive for all to vcontract_analyst, vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.vocabulary (
    tenant text not null,
    about text not null,
    name text collate "C" not null,
    detail text collate "C" not null,
    vcons bigint not null,
    constraint vocabulary_pkey PRIMARY KEY (tenant, about, name, detail)
);
CREATE INDEX vocabulary_most_used ON vcontract.vocabulary USING btree (tenant, name, vcons DESC, detail) WHERE (about = 'value'::text);
alter table vcontract.vocabulary enable row level security;
create policy own_tenant on vcontract.vocabulary as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.vocabulary_change (
    tenant text not null,
    id uuid not null default gen_random_uuid(),
    about text not null,
    name text collate "C" not null,
    detail text collate "C" not null,
    difference bigint not null,
    constraint vocabulary_change_pkey PRIMARY KEY (tenant, id)
);
CREATE INDEX vocabulary_change_about ON vcontract.vocabulary_change USING btree (tenant, about, name);
alter table vcontract.vocabulary_change enable row level security;
create policy own_tenant on vcontract.vocabulary_change as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create table vcontract.work_session (
    tenant text not null,
    id uuid not null,
    caller text not null,
    project uuid,
    state text not null,
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
    started_at timestamp with time zone not null,
    last_seen_at timestamp with time zone not null,
    ended_at timestamp with time zone,
    handoff json,
    constraint work_session_pkey PRIMARY KEY (tenant, id),
    constraint work_session_tenant_project_fkey FOREIGN KEY (tenant, project) REFERENCES vcontract.project(tenant, id),
    constraint work_session_state_check CHECK ((state = ANY (ARRAY['active'::text, 'ended'::text, 'abandoned'::text])))
);
CREATE INDEX work_session_caller ON vcontract.work_session USING btree (tenant, caller, state, last_seen_at DESC);
CREATE INDEX work_session_project ON vcontract.work_session USING btree (tenant, project, ended_at DESC);
alter table vcontract.work_session enable row level security;
create policy own_tenant on vcontract.work_session as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

create view vcontract.vcons_legacy with (security_invoker=true) as
 SELECT v.tenant,
    v.uuid,
    v.created_at,
    v.stored_at,
    v.updated_at,
    v.spec_version,
    v.subject_folded,
    v.head,
    v.metadata,
    v.conformance,
    v.signed_form,
    v.content_digest,
    v.parties,
    v.dialogs,
    v.analyses,
    v.attachments,
    v.tag_carriers,
    v.features,
    (v.head -> 'critical'::text) AS must_support,
    (v.head -> 'amended'::text) AS appended
   FROM (vcontract.vcon v
     CROSS JOIN ( SELECT) nothing_to_write);

CREATE OR REPLACE FUNCTION vcontract.activate_embedding_space(of_space integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
    complete boolean;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.state = 'active' into complete from vcontract.embedding_space s where s.id = of_space;
    if complete is distinct from false then
        return coalesce(complete, false);
    end if;
    select s.filled and not exists (
        select from vcontract.embedding_task t where t.space = of_space and t.attempts < 3
    ) or not exists (
        select from vcontract.embedding e
        where e.space = (select a.id from vcontract.embedding_space a where a.state = 'active')
    ) into complete
    from vcontract.embedding_space s where s.id = of_space and s.state = 'building';
    if not coalesce(complete, false) then
        return false;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'active';
    update vcontract.embedding_space s set state = 'active', changed_at = now() where s.id = of_space;
    return true;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.add_role(name text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
    begin
        execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole', name);
    exception when duplicate_object or unique_violation then
        null;
    end;
    if not pg_has_role(current_user, name, 'member') then
        execute format('grant %I to %I', name, current_user);
    end if;
    execute format('grant usage on schema vcontract to %I', name);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.aggregate_vcons_by_dealer_stats(tag_filter jsonb DEFAULT '{}'::jsonb, created_from timestamp with time zone DEFAULT NULL::timestamp with time zone, created_to timestamp with time zone DEFAULT NULL::timestamp with time zone, min_baseline integer DEFAULT 1, max_results integer DEFAULT 20)
 RETURNS TABLE(dealer_id text, dealer_name text, team_id text, team_name text, filtered_count bigint, baseline_count bigint)
 LANGUAGE sql
 STABLE
AS $function$
    with wanted as (
        select key, value #>> '{}' as value,
            case jsonb_typeof(value) when 'number' then (value #>> '{}')::numeric end as number
        from jsonb_each(tag_filter)
    ), named as (
        select d.*, v.created_at, not exists (
            select from wanted w
            where not exists (
                select from vcontract.tag t
                where t.tenant = v.tenant and t.vcon = v.uuid and t.key = w.key and case
                    -- the text of a number may be another one than the filter's
                    when t.type = 'number' and w.number is not null then t.value::numeric = w.number
                    else t.value = coalesce(trim_scale(w.number)::text, w.value) end
            )
        ) as has_tags
        from vcontract.dealer d
        join vcontract.vcon v on v.tenant = d.tenant and v.uuid = d.vcon
        where d.tenant = vcontract.current_tenant()
            and (created_from is null or v.created_at >= created_from)
            and (created_to is null or v.created_at < created_to)
    )
    select n.id,
        (array_agg(n.name order by n.created_at desc, n.vcon desc) filter (where n.name is not null))[1],
        (array_agg(n.team_id order by n.created_at desc, n.vcon desc)
            filter (where n.team_id is not null or n.team_name is not null))[1],
        (array_agg(n.team_name order by n.created_at desc, n.vcon desc)
            filter (where n.team_id is not null or n.team_name is not null))[1],
        count(*) filter (where n.has_tags),
        count(*)
    from named n
    group by n.id
    having count(*) >= min_baseline
    order by count(*) filter (where n.has_tags)::double precision / count(*) desc,
        count(*) filter (where n.has_tags) desc, count(*) desc, n.id
    limit least(greatest(max_results, 0), 500)
$function$;

CREATE OR REPLACE FUNCTION vcontract.alternative_condition(alternative jsonb, tenant text, kind text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (format('d.words @@ %L::tsquery'::text, (alternative ->> 'words'::text)) || CASE WHEN (alternative ? 'sequence'::text) THEN format(' and exists (select from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = d.id and p.words @@ %L::tsquery offset 0)'::text, tenant, kind, (alternative ->> 'sequence'::text)) ELSE ''::text END);

CREATE OR REPLACE FUNCTION vcontract.alternative_strength(alternative jsonb, tenant text, kind text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ((COALESCE((alternative ->> 'factor'::text), '1'::text) || ' * '::text) || CASE WHEN (alternative ? 'sequence'::text) THEN format('case when d.words @@ %L::tsquery then coalesce((select max(vcontract.part_strength(p.part)) * (0.7 + 0.3 * count(*) / (count(*) + 2.0)) from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = d.id and p.words @@ %L::tsquery), 0) else 0 end'::text, (alternative ->> 'words'::text), tenant, kind, (alternative ->> 'sequence'::text)) ELSE format('(select vcontract.word_strength(r.rank) from (select ts_rank(''{1e-9,1e-6,1e-3,1}'', d.words, %L::tsquery) as rank offset 0) r)'::text, (alternative ->> 'words'::text)) END);

CREATE OR REPLACE FUNCTION vcontract.await_passage_writers()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
    lock table vcontract.search_document in share mode;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.bind_to_tenant(VARIADIC tables text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
    name text;
begin
    foreach name in array tables loop
        execute format('alter table vcontract.%I enable row level security', name);
        execute format(
            'create policy own_tenant on vcontract.%I to vcontract_server '
            'using (tenant = (select vcontract.current_tenant())) '
            'with check (tenant = (select vcontract.current_tenant()))',
            name
        );
        execute format('grant select, insert, update, delete on vcontract.%I to vcontract_server', name);
    end loop;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.both_score(similarity double precision, text_score double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (GREATEST(similarity, text_score) + (((0.5)::double precision * LEAST(similarity, text_score)) * ((1)::double precision - GREATEST(similarity, text_score))));

CREATE OR REPLACE FUNCTION vcontract.bridge_candidates(kind text, filters jsonb, query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(resolved jsonb, ids uuid[], is_cut boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
begin
    if kind not in ('bridge_source', 'bridge_moment', 'bridge_scene') then
        raise exception 'no kind of the bridge: %', kind;
    end if;
    return query select * from vcontract.recall_candidates(kind, format(
        'exists (select from vcontract.%I r where r.uid = d.id and %s)', kind,
        vcontract.bridge_conditions(kind, filters)), query, space, vector);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.bridge_conditions(kind text, filters jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    is_source constant boolean := kind = 'bridge_source';
    conditions text := format('r.tenant = %L', tenant);
    item text;
begin
    if filters ? 'types' and not filters -> 'types' ? replace(kind, 'bridge_', '')
        or filters ? 'qualities' and kind <> 'bridge_moment'
        or is_source and (filters ? 'shot' or filters ? 'reviewed')
        or not is_source and filters ? 'framed'
    then
        return 'false';
    end if;
    if not is_source then
        conditions := conditions || format(' and (r.reframed_by is null or r.id = %L)', filters ->> 'exact');
    end if;
    if filters ? 'ids' then
        conditions := conditions || format(' and r.id = any(%L::text[])',
            array(select jsonb_array_elements_text(filters -> 'ids')));
    end if;
    if filters #> '{created,from}' is not null then
        conditions := conditions || format(' and r.created >= %L', filters #>> '{created,from}');
    end if;
    if filters #> '{created,to}' is not null then
        conditions := conditions || format(' and r.created < %L', filters #>> '{created,to}');
    end if;
    if filters ? 'when' then
        conditions := conditions || ' and r.when_start is not null';
    end if;
    if filters #> '{when,from}' is not null then
        conditions := conditions || format(' and r.when_end > %L', filters #>> '{when,from}');
    end if;
    if filters #> '{when,to}' is not null then
        conditions := conditions || format(' and r.when_start < %L', filters #>> '{when,to}');
    end if;
    if filters ? 'timeless' then
        conditions := conditions || ' and r.when_start is null';
    end if;
    if filters ? 'experiencer' then
        conditions := conditions || format(
            case when is_source then ' and r.experiencer_folded = %1$L'
            else ' and (r.experiencer_folded = %1$L or %1$L = any(r.experiencers))' end, filters ->> 'experiencer');
    end if;
    if filters ? 'perspective' then
        conditions := conditions || format(
            case when is_source then ' and r.perspective = %L' else ' and %L = any(r.perspectives)' end,
            filters ->> 'perspective');
    end if;
    if filters ? 'processing' then
        conditions := conditions || format(
            case when is_source then ' and r.processing = %L' else ' and %L = any(r.processings)' end,
            filters ->> 'processing');
    end if;
    for item in select * from jsonb_array_elements_text(filters -> 'qualities') loop
        conditions := conditions || format(
            ' and exists (select from vcontract.bridge_quality q where q.tenant = %L and q.moment_id = r.id'
            ' and q.type = %L)', tenant, item);
    end loop;
    if filters ? 'shot' then
        conditions := conditions || format(' and r.shot = %L', filters ->> 'shot');
    end if;
    if filters ? 'reviewed' then
        conditions := conditions || format(' and r.reviewed = %L', filters ->> 'reviewed');
    end if;
    if filters ? 'framed' then
        conditions := conditions || format(
            ' and %s exists (select from vcontract.bridge_moment_source f'
            ' join vcontract.bridge_moment m on m.tenant = %L and m.id = f.moment_id and m.reframed_by is null'
            ' where f.tenant = %2$L and f.source_id = r.id)',
            case when (filters ->> 'framed')::boolean then '' else 'not' end, tenant);
    end if;
    return conditions;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.bridge_rows(filters jsonb)
 RETURNS TABLE(type text, id text, uid uuid, created timestamp with time zone, occurred_at timestamp with time zone, experiencer text)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
    kind text;
    conditions text;
begin
    foreach kind in array array['bridge_source', 'bridge_moment', 'bridge_scene'] loop
        conditions := vcontract.bridge_conditions(kind, filters);
        continue when conditions = 'false';
        return query execute format(
            'select %L::text, r.id::text, r.uid, r.created, coalesce(r.when_start, r.created), r.experiencer'
            ' from vcontract.%I r where %s', replace(kind, 'bridge_', ''), kind, conditions);
    end loop;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.claim_embedding_tasks(of_space integer, of_tenant text, by_claim uuid, most_passages integer, most_tasks integer)
 RETURNS TABLE(tenant text, kind text, id uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
#variable_conflict use_column
declare
    chosen text := of_tenant;
begin
    if chosen is null then
        select t.tenant into chosen from vcontract.embedding_task t
        where t.space = of_space and t.due_at <= now() order by t.due_at limit 1;
    end if;
    return query
    with due as materialized (
        select t.kind, t.id, t.passages, t.due_at from vcontract.embedding_task t
        where t.space = of_space and t.tenant = chosen and t.due_at <= now()
        order by t.due_at limit most_tasks
        for update skip locked
    ), taken as (
        select d.kind, d.id, sum(d.passages) over (order by d.due_at, d.kind, d.id) - d.passages as before
        from due d
    )
    update vcontract.embedding_task t
    set claim = by_claim, due_at = clock_timestamp() + make_interval(secs => 60 + t.passages)
    from taken x
    where t.space = of_space and t.tenant = chosen and t.kind = x.kind and t.id = x.id and x.before < most_passages
    returning t.tenant, t.kind, t.id;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.containing(piece text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (('%'::text || replace(replace(replace(piece, '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text)) || '%'::text);

CREATE OR REPLACE FUNCTION vcontract.contains_literally(content text, literal text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (strpos(lower(content), lower(literal)) > 0);

CREATE OR REPLACE FUNCTION vcontract.count_rows(table_name text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
declare
    total bigint;
begin
    execute format('select count(*) from vcontract.%I', table_name) into total;
    return total;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.current_tenant()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN current_setting('vcontract.tenant'::text);

CREATE OR REPLACE FUNCTION vcontract.drop_retired_embedding_spaces(retired_for interval)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET lock_timeout TO '10s'
AS $function$
declare
    number integer;
    dropped integer := 0;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    for number in
        select s.id from vcontract.embedding_space s
        where s.state = 'retired' and s.changed_at <= now() - retired_for
    loop
        execute format('drop table vcontract.embedding_%s', number);
        delete from vcontract.embedding_task t where t.space = number;
        delete from vcontract.embedding_space s where s.id = number;
        dropped := dropped + 1;
    end loop;
    return dropped;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.few_matches(conditions text, at_most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    found uuid[];
begin
    execute format('select coalesce(array_agg(f.id), ''{}'') from'
        ' (select d.id from vcontract.search_document d where %s limit %s) f', conditions, at_most + 1) into found;
    return case when cardinality(found) <= at_most then found end;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.fill_embedding_space(of_space integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET statement_timeout TO '0'
AS $function$
begin
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select p.tenant, p.kind, p.id, of_space, count(*), now()
    from vcontract.passage p
    where vcontract.is_embedded(p.part) and not exists (
        select from vcontract.embedding e
        where e.space = of_space and e.tenant = p.tenant and e.kind = p.kind and e.id = p.id
            and e.part = p.part and e.element = p.element and e.chunk = p.chunk
    )
    group by p.tenant, p.kind, p.id
    on conflict (tenant, kind, id, space) do nothing;
    update vcontract.embedding_space s set filled = true where s.id = of_space;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.fold_vocabulary(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
declare
    places tid[];
begin
    if not pg_try_advisory_xact_lock(hashtext('vcontract.vocabulary')) then
        return 0;
    end if;
    places := array(select c.ctid from vcontract.vocabulary_change c limit most);
    with taken as (
        delete from vcontract.vocabulary_change c where c.ctid = any(places) returning c.*
    ), sums as (
        select t.tenant, t.about, t.name, t.detail, sum(t.difference) as difference
        from taken t
        group by t.tenant, t.about, t.name, t.detail
        having sum(t.difference) <> 0
    ), values as (
        -- a value more or less for its key
        select s.tenant, s.name,
            sum((coalesce(v.vcons, 0) + s.difference > 0)::int - (coalesce(v.vcons, 0) > 0)::int) as difference
        from sums s
        left join vcontract.vocabulary v
            on v.tenant = s.tenant and v.about = s.about and v.name = s.name and v.detail = s.detail
        where s.about in ('value', 'long_value')
        group by s.tenant, s.name
    )
    merge into vcontract.vocabulary v
    using (
        select * from sums
        union all
        select tenant, 'distinct_values', name, '', difference from values where difference <> 0
    ) s on v.tenant = s.tenant and v.about = s.about and v.name = s.name and v.detail = s.detail
    when matched and v.vcons + s.difference = 0 then delete
    when matched then update set vcons = v.vcons + s.difference
    when not matched then insert (tenant, about, name, detail, vcons)
        values (s.tenant, s.about, s.name, s.detail, s.difference);
    return cardinality(places);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.frequency_share(rank double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((0.7)::double precision + ((0.3)::double precision * ((1)::double precision - ((2)::double precision / (round((((1)::double precision / ((1.64493406684823)::double precision * ((1)::double precision - rank))) - (0.5)::double precision)) + (2)::double precision)))));

CREATE OR REPLACE FUNCTION vcontract.is_embedded(part text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (part <> ALL (ARRAY['party'::text, 'trace_body'::text]));

CREATE OR REPLACE FUNCTION vcontract.make_embedding_partition(space integer, dimension integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
 SET lock_timeout TO '10s'
AS $function$
begin
    execute format('create table vcontract.embedding_%s partition of vcontract.embedding for values in (%s)',
        space, space);
    execute format('create index embedding_%s_near on vcontract.embedding_%s'
        ' using hnsw ((vector::halfvec(%s)) halfvec_ip_ops) with (m = 16, ef_construction = 64)',
        space, space, dimension);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.memory_candidates(kind text, filters jsonb, query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(resolved jsonb, ids uuid[], is_cut boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
begin
    return query select * from vcontract.recall_candidates(kind, concat_ws(' and ', 'true',
        case when filters ? 'from' then format('d.occurred_at >= %L', filters ->> 'from') end,
        case when filters ? 'to' then format('d.occurred_at < %L', filters ->> 'to') end,
        case when not coalesce((filters ->> 'sidechains')::boolean, false) then format(
            'not exists (select from vcontract.transcript_exchange x where x.tenant = %L and x.id = d.id and x.sidechain)',
            vcontract.current_tenant()) end
    ), query, space, vector);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.near_spellings(misspelled text, nearness real, most integer)
 RETURNS TABLE(word text, similarity real)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
begin
    perform set_config('pg_trgm.similarity_threshold', nearness::text, true);
    return query execute format(
        'select s.word, similarity(s.word, $1) from vcontract.spelling s where s.tenant = %L and s.word %% $1'
        ' order by 2 desc, 1 limit %s', tenant, most) using misspelled;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.nearest_passages(conditions text, kind text, space integer, dimension integer, vector public.halfvec, most integer)
 RETURNS TABLE(id uuid, cosine double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET "hnsw.iterative_scan" TO 'relaxed_order'
 SET "hnsw.max_scan_tuples" TO '40000'
 SET "hnsw.ef_search" TO '100'
AS $function$
begin
    -- going on from a short list of candidates takes much longer than beginning with a long one
    perform set_config('hnsw.ef_search', least(greatest(most, 100), 1000)::text, true);
    return query execute format(
        'select e.id, -(e.vector::halfvec(%s) <#> $1) from vcontract.embedding e'
        ' where e.space = %s and e.tenant = %L and e.kind = %L%s'
        ' order by e.vector::halfvec(%s) <#> $1 limit %s',
        dimension, space, vcontract.current_tenant(), kind,
        case when conditions = vcontract.search_conditions('{}', kind) then '' else format(
            ' and (select true from vcontract.search_document d where d.id = e.id and %s)', conditions) end,
        dimension, most) using vector;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.open_embedding_space(of_model text, of_dimension integer, of_recipe json, of_calibration double precision[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
    number integer;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.id into number from vcontract.embedding_space s where s.model = of_model and s.state <> 'retired';
    if found then
        update vcontract.embedding_space s set recipe = of_recipe, calibration = of_calibration
        where s.id = number
            and (s.recipe::text, s.calibration) is distinct from (of_recipe::text, of_calibration);
        return number;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'building';
    select coalesce(max(s.id), 0) + 1 into number from vcontract.embedding_space s;
    perform vcontract.make_embedding_partition(number, of_dimension);
    insert into vcontract.embedding_space (id, model, dimension, state, recipe, calibration, filled)
    values (number, of_model, of_dimension, 'building', of_recipe, of_calibration, false);
    return number;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.part_strength(part text)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (part = ANY (ARRAY['attachment'::text, 'trace_body'::text])) THEN 0.8 WHEN (part = ANY (ARRAY['dialog'::text, 'analysis'::text, 'trace'::text])) THEN 0.9 ELSE (1)::numeric END;

CREATE OR REPLACE FUNCTION vcontract.recall_among(ids jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN format('d.id = any(%L::uuid[])'::text, (SELECT COALESCE(array_agg(i.value), '{}'::text[]) AS "coalesce" FROM jsonb_array_elements_text(recall_among.ids) i(value)));

CREATE OR REPLACE FUNCTION vcontract.recall_candidates(kind text, conditions text, query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(resolved jsonb, ids uuid[], is_cut boolean)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    few constant integer := 3000;
    most_worded constant integer := 2000;
    most_near constant integer := 600;
    until constant timestamptz := clock_timestamp() + interval '500 milliseconds';
    inside constant text := format(
        'd.tenant = %L and d.kind = %L and (%s)', vcontract.current_tenant(), kind, conditions);
    admitted constant uuid[] := vcontract.few_matches(inside, few);
    among constant text := case when admitted is null then inside
        else format('d.tenant = %L and d.kind = %L and d.id = any($1)', vcontract.current_tenant(), kind) end;
    term jsonb;
    terms jsonb := '[]';
    holders uuid[];
    known boolean;
    worded uuid[];
    near_ids uuid[];
    least_cosine double precision;
begin
    is_cut := false;
    resolved := query;
    for term in select t from jsonb_array_elements(query -> 'terms') t loop
        if term ? 'literal' then
            known := false;
            if term ? 'words' then
                execute format('select exists (select from vcontract.search_document d where %s and %s)',
                    among, vcontract.recall_occurs(term, kind)) using admitted into known;
            end if;
            if not known then
                holders := vcontract.recall_scan(kind, inside, term ->> 'literal', most_worded, until);
                term := term || jsonb_build_object('holders', to_jsonb(holders));
                if holders <> '{}' then
                    resolved := resolved || '{"relaxed": true}';
                end if;
            end if;
        end if;
        terms := terms || jsonb_build_array(term);
    end loop;
    resolved := jsonb_set(resolved, '{terms}', terms);
    ids := admitted;
    if ids is null then
        execute format('select array_agg(f.id) from (select d.id from vcontract.search_document d'
            ' where %s and (%s) and %s >= %s order by d.occurred_at desc, d.id desc limit %s) f',
            inside, vcontract.recall_heavy(resolved), vcontract.recall_coverage(resolved, kind),
            (query ->> 'least')::double precision, most_worded + 1) into worded;
        is_cut := coalesce(cardinality(worded) > most_worded, false);
        if vector is not null then
            select n.ids, n.least_cosine from vcontract.recall_nearest(kind, inside, space, vector, most_near) n
            into near_ids, least_cosine;
            is_cut := is_cut or coalesce(vcontract.similarity_score(least_cosine,
                (select s.calibration from vcontract.embedding_space s where s.id = space)) >= 0.5, true);
        end if;
        ids := case when near_ids is null then coalesce(worded, '{}')
            else array(select unnest(worded) union select unnest(near_ids)) end;
    end if;
    return next;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_counts(kinds text[], words text[], at_most integer)
 RETURNS bigint[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    word text;
    number bigint;
    counts bigint[] := '{}';
begin
    foreach word in array words loop
        execute format('select count(*) from (select from vcontract.search_document d where d.tenant = %L'
            ' and d.kind = any($1)%s) f', tenant, case when word <> '' then
                format(' and d.words @@ %L::tsquery limit %s', word, at_most) else '' end) using kinds into number;
        counts := counts || number;
    end loop;
    return counts;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_coverage(query jsonb, kind text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT CASE WHEN (count(*) = 0) THEN '0::double precision'::text ELSE format('(%s) / %s::float8'::text, string_agg(format('%s::float8 * (%s)::integer'::text, ((t.value ->> 'weight'::text))::double precision, vcontract.recall_occurs(t.value, recall_coverage.kind)), ' + '::text), sum(((t.value ->> 'weight'::text))::double precision)) END AS format FROM jsonb_array_elements((recall_coverage.query -> 'terms'::text)) t(value));

CREATE OR REPLACE FUNCTION vcontract.recall_dialogs(ids uuid[], query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(id uuid, element integer, occurred_at timestamp with time zone, similarity double precision, coverage double precision, text_score double precision, score double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    most constant integer := 5000;
    tenant constant text := vcontract.current_tenant();
    weight constant double precision :=
        (select sum((t ->> 'weight')::double precision) from jsonb_array_elements(query -> 'terms') t);
    occurring text;
    anywhere text;
begin
    select string_agg(format('%s::float8 * max((%s)::integer)', (t ->> 'weight')::double precision, o.occurs), ' + '),
        string_agg(o.occurs, ' or ')
    from jsonb_array_elements(query -> 'terms') t, vcontract.recall_occurs_in_passage(t) o (occurs)
    into occurring, anywhere;
    return query execute format(
        'with close as materialized (select e.id, e.element, vcontract.similarity_score(max(-(e.vector <#> $2)), $3) as s'
        '  from vcontract.embedding e where $2 is not null and e.space = %1$s and e.tenant = %2$L and e.kind = ''vcon'''
        '  and e.id = any($1) and e.part = ''dialog'' group by e.id, e.element),'
        ' worded as materialized (select p.id, p.element, (%3$s) / %4$s as c, max(%5$s) as rank,'
        '  bool_or(vcontract.contains_literally(p.content, %6$L)) as whole'
        '  from vcontract.passage p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = any($1) and p.part = ''dialog'''
        '  and (%7$s) group by p.id, p.element),'
        ' scored as (select coalesce(n.id, w.id) as id, coalesce(n.element, w.element) as element, coalesce(n.s, 0) as s,'
        '  coalesce(w.c, 0) as c, coalesce(0.7 * w.c + case when w.whole and w.c > 0.999 then 0.2 else 0 end + 0.1 * w.rank, 0) as t'
        '  from close n full join worded w on w.id = n.id and w.element = n.element)'
        ' select b.id, b.element, coalesce((select p.occurred_at from vcontract.passage p where p.tenant = %2$L'
        '   and p.kind = ''vcon'' and p.id = b.id and p.part = ''dialog'' and p.element = b.element limit 1), d.occurred_at),'
        '  b.s, b.c, b.t, b.score from (select c.*, vcontract.both_score(c.s, c.t) as score from scored c'
        '   where c.s > 0 or c.c > 0 order by score desc, c.id, c.element limit %8$s) b'
        ' join vcontract.search_document d on d.tenant = %2$L and d.kind = ''vcon'' and d.id = b.id',
        coalesce(space, 0), tenant, coalesce(occurring, '0::double precision'), coalesce(weight, 1),
        vcontract.recall_rank(query, 'p.words'), query ->> 'text', coalesce(anywhere, 'false'), most)
    using ids, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_heavy(query jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (SELECT COALESCE(string_agg(CASE WHEN (w.term ? 'holders'::text) THEN vcontract.recall_among((w.term -> 'holders'::text)) ELSE format('d.words @@ %L::tsquery'::text, (w.term ->> 'words'::text)) END, ' or '::text), 'false'::text) AS "coalesce" FROM (SELECT t.term, sum(t.weight) OVER (ORDER BY t.weight, t.place ROWS UNBOUNDED PRECEDING) AS through, sum(t.weight) OVER () AS total FROM (SELECT e.term, e.place, ((e.term ->> 'weight'::text))::double precision AS weight FROM jsonb_array_elements((recall_heavy.query -> 'terms'::text)) WITH ORDINALITY e(term, place)) t) w WHERE ((w.through >= (((recall_heavy.query ->> 'least'::text))::double precision * w.total)) AND ((w.term ? 'holders'::text) OR (w.term ? 'words'::text))));

CREATE OR REPLACE FUNCTION vcontract.recall_nearest(kind text, conditions text, space integer, vector public.halfvec, most integer, OUT ids uuid[], OUT least_cosine double precision)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
 SET enable_sort TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET "hnsw.iterative_scan" TO 'relaxed_order'
 SET "hnsw.max_scan_tuples" TO '40000'
 SET "hnsw.ef_search" TO '600'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    dimension constant integer := (select s.dimension from vcontract.embedding_space s where s.id = space);
    thing constant text := case kind
        when 'exchange' then format(
            '(select d.id from vcontract.transcript_exchange x join vcontract.search_document d'
            '  on d.tenant = %1$L and d.kind = ''exchange'' and d.id = x.id where x.tenant = %1$L and x.vcon = e.id'
            '  and (e.part = ''dialog'' and e.element >= x.dialog_from and e.element < x.dialog_to'
            '   or e.part = ''trace'' and e.element = x.number) and %2$s limit 1)', tenant, conditions)
        else format('(select d.id from vcontract.search_document d where d.id = e.id and %s)', conditions)
        end;
begin
    execute format(
        'select array_agg(distinct f.id), min(f.cosine) from (select %1$s as id, e.cosine from ('
        ' select e.id, e.part, e.element, -(e.vector::halfvec(%2$s) <#> $1) as cosine from vcontract.embedding e'
        ' where e.space = %3$s and e.tenant = %4$L and e.kind = %5$L and %1$s is not null'
        ' order by e.vector::halfvec(%2$s) <#> $1 limit %6$s) e) f',
        thing, dimension, space, tenant, case kind when 'exchange' then 'vcon' else kind end, most)
    using vector into ids, least_cosine;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_occurs(term jsonb, kind text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (term ? 'holders'::text) THEN vcontract.recall_among((term -> 'holders'::text)) WHEN (term ? 'literal'::text) THEN format('case when %s then exists (select from %s q) else false end'::text, CASE WHEN (term ? 'words'::text) THEN format('d.words @@ %L::tsquery'::text, (term ->> 'words'::text)) ELSE 'true'::text END, vcontract.recall_rows('passage'::text, kind, format('vcontract.contains_literally(p.content, %L)'::text, (term ->> 'literal'::text)))) ELSE format('d.words @@ %L::tsquery'::text, (term ->> 'words'::text)) END;

CREATE OR REPLACE FUNCTION vcontract.recall_occurs_in_passage(term jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN concat_ws(' and '::text, CASE WHEN ((term ? 'words'::text) AND (NOT (term ? 'holders'::text))) THEN format('p.words @@ %L::tsquery'::text, (term ->> 'words'::text)) ELSE NULL::text END, CASE WHEN (term ? 'literal'::text) THEN format('vcontract.contains_literally(p.content, %L)'::text, (term ->> 'literal'::text)) ELSE NULL::text END);

CREATE OR REPLACE FUNCTION vcontract.recall_passages(kind text, ids uuid[], elements integer[], query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(id uuid, element_of integer, part text, element integer, chunk integer, content text, coverage double precision, similarity double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
    covered constant text := (
        select case when count(*) = 0 then '0::double precision' else format('(%s) / %s::float8',
            string_agg(format('%s::float8 * (%s)::integer', (t ->> 'weight')::double precision,
                vcontract.recall_occurs_in_passage(t)), ' + '),
            sum((t ->> 'weight')::double precision)) end
        from jsonb_array_elements(query -> 'terms') t
    );
begin
    return query execute format(
        'select distinct on (d.id, d.element) d.id, d.element, b.part, b.element, b.chunk, b.content, b.c, b.s'
        ' from unnest($1, $2) d (id, element) cross join lateral ('
        '  select p.part, p.element, p.chunk, p.content, %1$s as c, coalesce(('
        '   select vcontract.similarity_score(-(e.vector <#> $3), $4) from vcontract.embedding e'
        '   where e.space = %2$s and e.tenant = p.tenant and e.kind = p.kind and e.id = p.id and e.part = p.part'
        '   and e.element = p.element and e.chunk = p.chunk), 0) as s'
        '  from %3$s p offset 0) b'
        ' order by d.id, d.element, b.c >= 0.5 desc, vcontract.both_score(b.s, 0.7 * b.c) desc,'
        ' b.part, b.element, b.chunk',
        covered, coalesce(space, 0), vcontract.recall_rows('passage', kind, 'true'))
    using ids, elements, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_rank(query jsonb, words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN (SELECT CASE WHEN (count(*) = 0) THEN '0'::text ELSE format('ts_rank(%s, %L::tsquery, 32)'::text, recall_rank.words, string_agg((('('::text || replace((t.value ->> 'words'::text), ' & '::text, ' | '::text)) || ')'::text), ' | '::text)) END AS format FROM jsonb_array_elements((recall_rank.query -> 'terms'::text)) t(value) WHERE (t.value ? 'words'::text));

CREATE OR REPLACE FUNCTION vcontract.recall_rows(relation text, kind text, condition text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE kind WHEN 'exchange'::text THEN format('(select p.* from vcontract.transcript_exchange x cross join lateral (  select p.* from vcontract.%1$I p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = x.vcon   and p.part = ''dialog'' and p.element >= x.dialog_from and p.element < x.dialog_to and %3$s  union all select p.* from vcontract.%1$I p where p.tenant = %2$L and p.kind = ''vcon'' and p.id = x.vcon   and p.part in (''trace'', ''trace_body'') and p.element = x.number and %3$s) p  where x.tenant = %2$L and x.id = d.id)'::text, relation, vcontract.current_tenant(), condition) WHEN 'dialog'::text THEN format('(select p.* from vcontract.%I p where p.tenant = %L and p.kind = ''vcon'' and p.id = d.id and p.part = ''dialog'' and p.element = d.element and %s)'::text, relation, vcontract.current_tenant(), condition) ELSE format('(select p.* from vcontract.%I p where p.tenant = %L and p.kind = %L and p.id = d.id and %s)'::text, relation, vcontract.current_tenant(), kind, condition) END;

CREATE OR REPLACE FUNCTION vcontract.recall_scan(kind text, conditions text, literal text, most integer, until timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    step constant integer := 100;
    holding constant text := vcontract.recall_rows(
        'passage', kind, format('vcontract.contains_literally(p.content, %L)', literal));
    place text := 'true';
    read_at timestamptz;
    read_id uuid;
    seen integer;
    holders uuid[];
    found uuid[] := '{}';
begin
    loop
        execute format(
            'with d as materialized (select d.id, d.occurred_at from vcontract.search_document d where %s and %s'
            '  order by d.occurred_at desc, d.id desc limit %s)'
            ' select count(*), (array_agg(d.id order by d.occurred_at, d.id))[1],'
            '  (array_agg(d.occurred_at order by d.occurred_at, d.id))[1],'
            '  array_agg(d.id) filter (where exists (select from %s q)) from d',
            conditions, place, step, holding) into seen, read_id, read_at, holders;
        found := found || holders;
        exit when seen < step or cardinality(found) >= most or clock_timestamp() >= until;
        place := format('(d.occurred_at, d.id) < (%L, %L)', read_at, read_id);
    end loop;
    return found;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recall_scores(kind text, ids uuid[], query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(id uuid, occurred_at timestamp with time zone, similarity double precision, coverage double precision, text_score double precision, score double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
begin
    -- "materialized" has each of them computed once, however often the next reads it
    return query execute format(
        'with parts as materialized (select d.id, d.occurred_at, %4$s as similarity, %3$s as coverage, %6$s as rank'
        '  from vcontract.search_document d where d.tenant = %1$L and d.kind = %2$L and d.id = any($1)),'
        ' scored as materialized (select d.id, d.occurred_at, d.similarity, d.coverage,'
        '  case when d.coverage = 0 then 0 else 0.7 * d.coverage'
        '   + case when d.coverage > 0.999 and exists (select from %5$s q) then 0.2 else 0 end'
        '   + 0.1 * d.rank end as text_score from parts d where d.coverage > 0 or d.similarity > 0)'
        ' select s.*, vcontract.both_score(s.similarity, s.text_score) from scored s',
        vcontract.current_tenant(), kind, vcontract.recall_coverage(query, kind),
        case when vector is null then '0::double precision' else format(
            'coalesce((select vcontract.similarity_score(max(-(q.vector <#> $2)), $3) from %s q), 0)',
            vcontract.recall_rows('embedding', kind, format('p.space = %s', space))) end,
        vcontract.recall_rows(
            'passage', kind, format('vcontract.contains_literally(p.content, %L)', query ->> 'text')),
        vcontract.recall_rank(query, 'd.words'))
    using ids, vector, (select array_agg(c::double precision)
        from jsonb_array_elements_text(nullif(query -> 'calibration', 'null')) c);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.recount_vocabulary()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
    of_tenant text;
    uuids uuid[];
begin
    lock table vcontract.vcon, vcontract.vocabulary_change in share row exclusive mode;
    perform pg_advisory_xact_lock(hashtext('vcontract.vocabulary'));
    update vcontract.vcon v set features = array(
        select distinct f from (
            select 'field:subject' as f where json_typeof(v.head -> 'subject') = 'string'
                and v.head ->> 'subject' <> ''
            union all
            select 'field:parties.' || m.member
            from vcontract.party p
            cross join unnest('{name,mailto,tel,role}'::text[]) m (member)
            where p.tenant = v.tenant and p.vcon = v.uuid
                and json_typeof(p.doc -> m.member) = 'string' and p.doc ->> m.member <> ''
            union all
            select 'role:' || (p.doc ->> 'role')
            from vcontract.party p
            where p.tenant = v.tenant and p.vcon = v.uuid and json_typeof(p.doc -> 'role') = 'string'
                and length(p.doc ->> 'role') between 1 and 255
            union all
            select 'field:dialog' where v.dialogs > 0
            union all
            select 'field:dialog.start'
            from vcontract.dialog d
            where d.tenant = v.tenant and d.vcon = v.uuid and json_typeof(d.doc -> 'start') = 'string'
                and d.doc ->> 'start' <> ''
            union all
            select unnest(case when d.type = 'text' then array['dialog:text', 'field:dialog.text']
                else array['dialog:' || d.type] end)
            from vcontract.dialog d
            where d.tenant = v.tenant and d.vcon = v.uuid and length(d.type) between 1 and 255
            union all
            select unnest(case when lower(a.type) in ('summary', 'transcript')
                then array['analysis:' || a.type, 'field:analysis.' || lower(a.type)]
                else array['analysis:' || a.type] end)
            from vcontract.analysis a
            where a.tenant = v.tenant and a.vcon = v.uuid and length(a.type) between 1 and 255
            union all
            select 'attachment:' || a.purpose
            from vcontract.attachment a
            where a.tenant = v.tenant and a.vcon = v.uuid and length(a.purpose) between 1 and 255
            union all
            select unnest(array['extension:' || (e #>> '{}'), 'field:extensions'])
            from json_array_elements(
                case when json_typeof(v.head -> 'extensions') = 'array' then v.head -> 'extensions' end) e
            where json_typeof(e) = 'string' and length(e #>> '{}') between 1 and 255
            union all
            select unnest(array['tag:' || t.key, 'field:tags'])
            from vcontract.tag t
            where t.tenant = v.tenant and t.vcon = v.uuid
            union all
            select 'field:dealer' from vcontract.dealer d where d.tenant = v.tenant and d.vcon = v.uuid
        ) had
    );
    delete from vcontract.vocabulary_change;
    delete from vcontract.vocabulary;
    for of_tenant, uuids in
        select n.tenant, array_agg(n.uuid)
        from (
            select v.tenant, v.uuid, row_number() over (partition by v.tenant order by v.uuid) / 10000 as part
            from vcontract.vcon v
        ) n
        group by n.tenant, n.part
    loop
        insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
        select of_tenant, w.about, w.name, w.detail, w.vcons from vcontract.vocabulary_of(of_tenant, uuids) w;
    end loop;
    while vcontract.fold_vocabulary(100000) > 0 loop
    end loop;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.refresh_statistics()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
declare
    name text;
begin
    for name in
        select c.relname from pg_class c where c.relnamespace = 'vcontract'::regnamespace and c.relkind = 'r'
    loop
        execute format('analyze vcontract.%I', name);
    end loop;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.remove_expired()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
    with results as (
        delete from vcontract.result_cache c where c.ctid = any(array(
            select e.ctid from vcontract.result_cache e where e.expires_at <= now() for update skip locked)) returning 1
    ), errors as (
        delete from vcontract.bridge_processing_error p where p.ctid = any(array(
            select e.ctid from vcontract.bridge_processing_error e
            where e.occurred_at < now() - interval '90 days' for update skip locked)) returning 1
    )
    select (select count(*) from results) + (select count(*) from errors)
$function$;

CREATE OR REPLACE FUNCTION vcontract.restrict_functions()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
    routine regprocedure;
begin
    for routine in
        select p.oid from pg_proc p
        where p.pronamespace = 'vcontract'::regnamespace and has_function_privilege('public', p.oid, 'execute')
    loop
        execute format('revoke execute on function %s from public', routine);
        execute format('grant execute on function %s to vcontract_server', routine);
    end loop;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_conditions(spec jsonb, kind text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    conditions text := format('d.tenant = %L and d.kind = %L', tenant, kind);
    party text := '';
    demand jsonb;
    item jsonb;
begin
    for demand in select * from jsonb_array_elements(spec -> 'required') loop
        conditions := conditions || ' and (' || (
            select string_agg('(' || vcontract.alternative_condition(a, tenant, kind) || ')', ' or ')
            from jsonb_array_elements(demand) a
        ) || ')';
    end loop;
    for item in select * from jsonb_array_elements(spec -> 'excluded') loop
        conditions := conditions || ' and not (' || vcontract.alternative_condition(item, tenant, kind) || ')';
    end loop;
    if spec ? 'from' then
        conditions := conditions || format(' and d.occurred_at >= %L', spec ->> 'from');
    end if;
    if spec ? 'to' then
        conditions := conditions || format(' and d.occurred_at < %L', spec ->> 'to');
    end if;
    if spec ? 'below' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) < (%L, %L)', spec #>> '{below,at}', spec #>> '{below,id}');
    end if;
    if spec ? 'newest' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) <= (%L, %L)', spec #>> '{newest,at}', spec #>> '{newest,id}');
    end if;
    if spec ? 'oldest' then
        conditions := conditions || format(
            ' and (d.occurred_at, d.id) >= (%L, %L)', spec #>> '{oldest,at}', spec #>> '{oldest,id}');
    end if;
    for item in select * from jsonb_array_elements(spec -> 'tags') loop
        -- What a short value begins with is the value; to say both would count its rarity twice.
        conditions := conditions || format(
            ' and exists (select from vcontract.tag t where t.tenant = %L and t.vcon = d.id and t.key = %L'
            ' and left(t.value, 256) = left(%L, 256)%s)',
            tenant, item ->> 'key', item ->> 'value',
            case when length(item ->> 'value') > 255 then format(' and t.value = %L', item ->> 'value') end);
    end loop;
    if spec ? 'subject' then
        conditions := conditions || format(
            ' and exists (select from vcontract.vcon v where v.tenant = %L and v.uuid = d.id'
            ' and v.subject_folded like %L)', tenant, vcontract.containing(spec ->> 'subject'));
    end if;
    if spec ? 'party_name' then
        party := party || format(' and p.name_folded like %L', vcontract.containing(spec ->> 'party_name'));
    end if;
    if spec ? 'party_email' then
        party := party || format(' and p.email_folded like %L', vcontract.containing(spec ->> 'party_email'));
    end if;
    if spec ? 'party_tel' then
        party := party || format(' and p.tel_digits like %L', vcontract.containing(spec ->> 'party_tel'));
    end if;
    if party <> '' then
        conditions := conditions || format(
            ' and exists (select from vcontract.party p where p.tenant = %L and p.vcon = d.id%s)', tenant, party);
    end if;
    if spec ? 'dealer_id' then
        conditions := conditions || format(
            ' and exists (select from vcontract.dealer r where r.tenant = %L and r.vcon = d.id and r.id = %L)',
            tenant, spec ->> 'dealer_id');
    end if;
    if spec ? 'dealer_name' then
        conditions := conditions || format(
            ' and exists (select from vcontract.dealer r where r.tenant = %L and r.vcon = d.id'
            ' and r.name_folded like %L)', tenant, vcontract.containing(spec ->> 'dealer_name'));
    end if;
    return conditions;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_count(spec jsonb, kind text, at_most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    result bigint;
begin
    execute format('select count(*) from (select from vcontract.search_document d where %s limit %s) found',
        vcontract.search_conditions(spec, kind), at_most) into result;
    return result;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_hybrid(spec jsonb, kind text, space integer, vector public.halfvec, weight double precision, seen integer, most integer)
 RETURNS TABLE(id uuid, score double precision, keyword_score double precision, semantic_score double precision, cosine double precision)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    few constant integer := 3000;
    most_with_words constant integer := 4000;
    most_near constant integer := 1000;
    least_listed constant double precision := 0.5;
    tenant constant text := vcontract.current_tenant();
    conditions constant text := vcontract.search_conditions(spec, kind);
    calibration constant double precision[] :=
        (select array_agg(c::double precision) from jsonb_array_elements_text(nullif(spec -> 'calibration', 'null')) c);
    threshold constant double precision := (spec ->> 'threshold')::double precision;
    with_words integer := least(greatest(8 * (seen + most), 800), most_with_words);
    near integer := least(greatest(4 * (seen + most), 150), most_near);
    dimension integer;
    among uuid[];
    are_few boolean;
    nearest uuid[];
    -- what a thing that is not among them can have at most
    most_similar double precision := 0;
    most_of_words double precision := 0;
    are_all boolean;
    found_ids uuid[];
    found_scores double precision[];
    found_keywords double precision[];
    found_semantics double precision[];
    found_cosines double precision[];
begin
    select s.dimension into dimension from vcontract.embedding_space s where s.id = space;
    if dimension is null then
        return;
    end if;
    among := vcontract.few_matches(conditions, few);
    are_few := among is not null;
    loop
        if not are_few then
            among := null;
            if weight < 1 then
                select m.ids, m.are_all into among, are_all
                from vcontract.word_matches(spec, conditions, kind, with_words) m;
                most_of_words := case when are_all then 0 else 1 end;
            end if;
            if weight > 0 then
                select array_agg(distinct n.id), coalesce(vcontract.similarity_score(min(n.cosine), calibration), 1)
                from vcontract.nearest_passages(conditions, kind, space, dimension, vector, near) n
                into nearest, most_similar;
            end if;
            among := array(select f from unnest(among) f union select f from unnest(nearest) f);
        end if;
        execute format(
            -- materialized, so that it is computed once, however few things the planner expects
            'with n as materialized ('
            ' select e.id, max(-(e.vector <#> $1)) as cosine from vcontract.embedding e'
            ' where e.space = %s and e.tenant = %L and e.kind = %L and e.id = any($2) group by e.id)'
            ' select array_agg(f.id order by f.score desc, f.id desc),'
            ' array_agg(f.score order by f.score desc, f.id desc),'
            ' array_agg(f.keyword order by f.score desc, f.id desc),'
            ' array_agg(f.semantic order by f.score desc, f.id desc),'
            ' array_agg(f.cosine order by f.score desc, f.id desc) from ('
            ' select x.id, x.score, x.keyword, x.semantic, x.cosine from ('
            ' select y.id, $4 * y.semantic + (1 - $4) * y.keyword as score, y.keyword, y.semantic, y.cosine from ('
            ' select d.id, %s as keyword, coalesce(vcontract.similarity_score(n.cosine, $3), 0) as semantic, n.cosine'
            ' from vcontract.search_document d left join n on n.id = d.id'
            ' where d.tenant = %L and d.kind = %L and d.id = any($2)'
            ' offset 0) y'
            ' where $4 < 1 and y.keyword > 0 or $4 > 0 and y.semantic >= %s) x'
            ' where %s and %s order by x.score desc, x.id desc limit %s) f',
            space, tenant, kind,
            coalesce(vcontract.words_score(spec, kind), '0::double precision'), tenant, kind,
            least_listed,
            case when threshold is null then 'true' else format('x.score >= %L', threshold) end,
            case when spec ? 'after' then format('(x.score, x.id) < (%L, %L)',
                spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
            most)
        using vector, among, calibration, weight
        into found_ids, found_scores, found_keywords, found_semantics, found_cosines;
        exit when are_few or (most_of_words = 0 and most_similar < least_listed)
            or weight * most_similar + (1 - weight) * most_of_words < threshold
            or cardinality(found_ids) = most and found_scores[most] >= weight * most_similar;
        -- next the most of both, then all
        if near < most_near or with_words < most_with_words then
            with_words := most_with_words;
            near := most_near;
        else
            among := vcontract.few_matches(conditions, 2147483646);
            are_few := true;
        end if;
    end loop;
    return query select * from unnest(found_ids, found_scores, found_keywords, found_semantics, found_cosines);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_newest(spec jsonb, kind text, most integer)
 RETURNS TABLE(id uuid, occurred_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
begin
    return query execute format(
        'select d.id, d.occurred_at from vcontract.search_document d where %s'
        ' order by d.occurred_at desc, d.id desc limit %s',
        vcontract.search_conditions(spec, kind), most);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_places(ids uuid[], spec jsonb, kind text, most integer)
 RETURNS TABLE(id uuid, part text, element integer, content text, score double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    total double precision;
    strength text;
    anywhere text;
begin
    select sum((w ->> 'weight')::double precision),
        string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision, (
            select string_agg(coalesce(a ->> 'factor', '1') || ' * ' || case when a ? 'sequence'
                then format('case when p.words @@ %L::tsquery then 0.8 else 0 end', a ->> 'sequence')
                else format('(select vcontract.word_strength(r.rank) from'
                    ' (select ts_rank(''{1,1,1,1}'', p.words, %L::tsquery) as rank offset 0) r)', a ->> 'words')
            end, ', ') from jsonb_array_elements(w -> 'alternatives') a
        )), ' + '),
        string_agg((
            select string_agg('(' || coalesce(a ->> 'sequence', a ->> 'words') || ')', ' | ')
            from jsonb_array_elements(w -> 'alternatives') a
        ), ' | ')
    from jsonb_array_elements(spec -> 'words') w
    into total, strength, anywhere;
    return query execute format(
        'select i.id, b.part, b.element, b.content, b.score from unnest($1) i (id) cross join lateral ('
        ' select * from (select distinct on (p.part, p.element) p.part, p.element, p.content,'
        ' vcontract.part_strength(p.part) * (%s) / %s as score'
        ' from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = i.id and p.words @@ %L::tsquery'
        ' order by p.part, p.element, score desc, p.chunk) e'
        ' order by e.score desc, e.part, e.element limit %s) b',
        strength, total, tenant, kind, anywhere, most) using ids;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_ranked(spec jsonb, kind text, band integer, most integer)
 RETURNS TABLE(id uuid, occurred_at timestamp with time zone, score double precision, matched bigint, newest_at timestamp with time zone, newest_id uuid, oldest_at timestamp with time zone, oldest_id uuid)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    total double precision;
    strength text;
begin
    select sum((w ->> 'weight')::double precision),
        string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision, (
            select string_agg(vcontract.alternative_strength(a, tenant, kind), ', ')
            from jsonb_array_elements(w -> 'alternatives') a
        )), ' + ')
    from jsonb_array_elements(spec -> 'words') w
    into total, strength;
    return query execute format(
        -- The band keeps only places: the words of a row are too large to be sorted with it.
        'with band as materialized ('
        ' select d.ctid as place from vcontract.search_document d where %s'
        ' order by d.occurred_at desc, d.id desc limit %s),'
        ' scored as materialized (select d.id, d.occurred_at, (%s) / %s as score'
        ' from band b join vcontract.search_document d on d.ctid = b.place)'
        ' select s.id, s.occurred_at, s.score, m.matched, n.occurred_at, n.id, o.occurred_at, o.id'
        ' from scored s,'
        ' (select count(*) as matched from scored) m,'
        ' (select x.occurred_at, x.id from scored x order by x.occurred_at desc, x.id desc limit 1) n,'
        ' (select x.occurred_at, x.id from scored x order by x.occurred_at, x.id limit 1) o'
        ' where %s order by s.score desc, s.id desc limit %s',
        vcontract.search_conditions(spec, kind),
        -- A known band has its bounds; what is added between them must not push its oldest match out.
        case when spec ? 'oldest' then 10 * band else band end,
        strength, total,
        case when spec ? 'after' then format('(s.score, s.id) < (%L, %L)',
            spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
        most);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.search_semantic(spec jsonb, kind text, space integer, vector public.halfvec, seen integer, most integer)
 RETURNS TABLE(id uuid, score double precision, cosine double precision)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    few constant integer := 3000;
    near constant integer := 1000;
    tenant constant text := vcontract.current_tenant();
    conditions constant text := vcontract.search_conditions(spec, kind);
    calibration constant double precision[] :=
        (select array_agg(c::double precision) from jsonb_array_elements_text(nullif(spec -> 'calibration', 'null')) c);
    threshold constant double precision := coalesce((spec ->> 'threshold')::double precision, 0);
    dimension integer;
    among uuid[];
    least_near double precision;
    found_ids uuid[];
    found_scores double precision[];
    found_cosines double precision[];
    statement text;
begin
    select s.dimension into dimension from vcontract.embedding_space s where s.id = space;
    if dimension is null then
        return;
    end if;
    statement :=
        'select array_agg(f.id order by f.score desc, f.id desc), array_agg(f.score order by f.score desc, f.id desc),'
        ' array_agg(f.cosine order by f.score desc, f.id desc) from ('
        ' select s.id, s.score, s.cosine from ('
        ' select g.id, g.cosine, vcontract.similarity_score(g.cosine, $3) as score from ('
        ' select e.id, max(-(e.vector <#> $1)) as cosine from vcontract.embedding e'
        ' where e.space = %s and e.tenant = %L and e.kind = %L and %s group by e.id) g) s'
        ' where s.score >= $4 and %s order by s.score desc, s.id desc limit %s) f';
    among := vcontract.few_matches(conditions, few);
    if among is null and 4 * (seen + most) <= near then
        select array_agg(distinct n.id), vcontract.similarity_score(min(n.cosine), calibration)
        from vcontract.nearest_passages(
            conditions, kind, space, dimension, vector, greatest(4 * (seen + most), 100)) n
        into among, least_near;
    end if;
    for attempt in 1 .. 2 loop
        execute format(statement, space, tenant, kind,
            case when among is not null then 'e.id = any($2)' else format(
                'e.id in (select d.id from vcontract.search_document d where %s)', conditions) end,
            case when spec ? 'after' then format('(s.score, s.id) < (%L, %L)',
                spec #>> '{after,score}', spec #>> '{after,id}') else 'true' end,
            most)
        using vector, among, calibration, threshold
        into found_ids, found_scores, found_cosines;
        -- what the index yields is all there is when it went on to passages below the threshold
        exit when attempt = 2 or least_near is null or least_near < threshold or cardinality(found_ids) = most;
        among := null;
    end loop;
    return query select * from unnest(found_ids, found_scores, found_cosines);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.session_candidates(kind text, filters jsonb, query jsonb, space integer, vector public.halfvec)
 RETURNS TABLE(resolved jsonb, ids uuid[], is_cut boolean)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    tenant constant text := vcontract.current_tenant();
    is_scoped constant boolean := filters ? 'names';
    projects constant uuid[] := array(select jsonb_array_elements_text(filters -> 'projects'))::uuid[];
    names constant text[] := array(select jsonb_array_elements_text(filters -> 'names'));
    roots constant text[] := array(select jsonb_array_elements_text(filters -> 'roots'));
begin
    return query select * from vcontract.recall_candidates(kind, case kind
        when 'reflection' then case when is_scoped then format(
            'exists (select from vcontract.reflection r where r.tenant = %L and r.id = d.id and r.project = any(%L))',
            tenant, projects) else 'true' end
        when 'exchange' then case when is_scoped then format(
            'exists (select from vcontract.transcript_exchange x join vcontract.transcript t'
            '  on t.tenant = x.tenant and t.vcon = x.vcon where x.tenant = %1$L and x.id = d.id'
            '  and (lower(t.project) = any(%2$L) or exists (select from unnest(%3$L::text[]) r'
            '   where t.cwd = r or starts_with(t.cwd, rtrim(r, ''/'') || ''/''))))',
            tenant, names, roots) else 'true' end
        else concat_ws(' and ',
            format('not exists (select from vcontract.transcript t where t.tenant = %L and t.vcon = d.id)', tenant),
            case when is_scoped then format(
                'exists (select from vcontract.tag g where g.tenant = %L and g.vcon = d.id and g.key = ''project'''
                ' and lower(g.value) = any(%L))', tenant, names) end)
        end, query, space, vector);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.similar_passages(ids uuid[], kind text, space integer, vector public.halfvec, calibration double precision[], threshold double precision, most integer)
 RETURNS TABLE(id uuid, part text, element integer, content text, score double precision, cosine double precision)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
    return query execute format(
        'select b.id, b.part, b.element, p.content, b.score, b.cosine from ('
        ' select s.*, row_number() over (partition by s.id, s.part order by s.cosine desc, s.element) as place from ('
        '  select c.*, vcontract.similarity_score(c.cosine, $3) as score from ('
        '   select distinct on (e.id, e.part, e.element)'
        '    e.id, e.part, e.element, e.chunk, -(e.vector <#> $1) as cosine from vcontract.embedding e'
        '   where e.space = %s and e.tenant = %L and e.kind = %L and e.id = any($2)'
        '   order by e.id, e.part, e.element, 5 desc, e.chunk) c) s'
        ' where s.score >= $4) b'
        ' join vcontract.passage p on p.tenant = %L and p.kind = %L and p.id = b.id and p.part = b.part'
        '  and p.element = b.element and p.chunk = b.chunk'
        ' where b.place <= %s order by b.cosine desc, b.part, b.element',
        space, vcontract.current_tenant(), kind, vcontract.current_tenant(), kind, most)
    using vector, ids, calibration, threshold;
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.similarity_score(cosine double precision, calibration double precision[])
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (cosine <= (0)::double precision) THEN (0)::double precision WHEN (cosine >= (1)::double precision) THEN (1)::double precision WHEN (calibration IS NULL) THEN cosine WHEN (cosine < (calibration)[1]) THEN (((0.2)::double precision * cosine) / (calibration)[1]) WHEN (cosine < (calibration)[2]) THEN ((0.2)::double precision + (((0.3)::double precision * (cosine - (calibration)[1])) / ((calibration)[2] - (calibration)[1]))) WHEN (cosine < (calibration)[3]) THEN ((0.5)::double precision + (((0.3)::double precision * (cosine - (calibration)[2])) / ((calibration)[3] - (calibration)[2]))) ELSE ((0.8)::double precision + (((0.2)::double precision * (cosine - (calibration)[3])) / ((1)::double precision - (calibration)[3]))) END;

CREATE OR REPLACE FUNCTION vcontract.tag_vocabulary(key text, value text, type text)
 RETURNS TABLE(about text, name text, detail text)
 LANGUAGE sql
 STABLE
AS $function$
    values
        ('tag', key, ''),
        ('value_type', key, type),
        (
            case when length(value) <= 255 then 'value' else 'long_value' end,
            key,
            case when length(value) <= 255 then value else encode(sha256(convert_to(value, 'UTF8')), 'hex') end
        )
$function$;

CREATE OR REPLACE FUNCTION vcontract.vocabulary_of(of_tenant text, uuids uuid[])
 RETURNS TABLE(about text, name text, detail text, vcons bigint)
 LANGUAGE sql
 STABLE
AS $function$
    select 'vcon', '', '', count(*) from vcontract.vcon v where v.tenant = of_tenant and v.uuid = any(uuids)
    union all
    select split_part(f, ':', 1), substr(f, strpos(f, ':') + 1), '', count(*)
    from vcontract.vcon v
    cross join unnest(v.features) f
    where v.tenant = of_tenant and v.uuid = any(uuids) and f not like 'tag:%'
    group by f
    union all
    select 'vendor', a.type, a.vendor, count(distinct a.vcon)
    from vcontract.analysis a
    where a.tenant = of_tenant and a.vcon = any(uuids)
        and length(a.type) between 1 and 255 and length(a.vendor) between 1 and 255
    group by a.type, a.vendor
    union all
    select w.about, w.name, w.detail, count(*)
    from vcontract.tag t
    cross join vcontract.tag_vocabulary(t.key, t.value, t.type) w
    where t.tenant = of_tenant and t.vcon = any(uuids)
    group by w.about, w.name, w.detail
$function$;

CREATE OR REPLACE FUNCTION vcontract.word_matches(spec jsonb, conditions text, kind text, most integer, OUT ids uuid[], OUT are_all boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'public'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
    heaviest constant integer := 8;
    words constant integer := coalesce(jsonb_array_length(spec -> 'words'), 0);
    most_of_word constant integer := most / greatest(least(heaviest, words), 1);
    word jsonb;
    matched uuid[];
    found uuid[] := '{}';
begin
    are_all := words <= heaviest;
    for word in select w from jsonb_array_elements(spec -> 'words') w
        order by (w ->> 'weight')::double precision desc limit heaviest
    loop
        execute format('select array_agg(f.id) from (select d.id from vcontract.search_document d where %s and (%s)'
            ' order by d.occurred_at desc, d.id desc limit %s) f', conditions, (
                select string_agg(
                    '(' || vcontract.alternative_condition(a, vcontract.current_tenant(), kind) || ')', ' or ')
                from jsonb_array_elements(word -> 'alternatives') a
            ), most_of_word) into matched;
        found := found || matched;
        are_all := are_all and coalesce(cardinality(matched), 0) < most_of_word;
    end loop;
    ids := array(select distinct f from unnest(found) f);
end
$function$;

CREATE OR REPLACE FUNCTION vcontract.word_strength(rank real)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (rank <= (0)::double precision) THEN (0)::double precision WHEN (rank >= (0.5)::double precision) THEN vcontract.frequency_share((rank)::double precision) WHEN (rank >= (0.0005)::double precision) THEN ((0.9)::double precision * vcontract.frequency_share((rank * ('1000'::numeric)::double precision))) WHEN (rank >= (0.0000005)::double precision) THEN ((0.8)::double precision * vcontract.frequency_share((rank * ('1000000'::numeric)::double precision))) ELSE vcontract.frequency_share((rank * ('1000000000'::numeric)::double precision)) END;

CREATE OR REPLACE FUNCTION vcontract.words_score(spec jsonb, kind text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN (SELECT format('(%s) / %s'::text, string_agg(format('%s * greatest(%s)'::text, ((w.value ->> 'weight'::text))::double precision, (SELECT string_agg(format('case when d.words @@ %L::tsquery then %s else 0 end'::text, (a.value ->> 'words'::text), vcontract.alternative_strength(a.value, vcontract.current_tenant(), words_score.kind)), ', '::text) AS string_agg FROM jsonb_array_elements((w.value -> 'alternatives'::text)) a(value))), ' + '::text), sum(((w.value ->> 'weight'::text))::double precision)) AS format FROM jsonb_array_elements((words_score.spec -> 'words'::text)) w(value));

grant delete, insert, select, update on table vcontract.analysis to vcontract_server;
grant delete, insert, select, update on table vcontract.attachment to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_moment to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_moment_source to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_processing_error to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_quality to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_reflection to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_scene to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_scene_member to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_source to vcontract_server;
grant delete, insert, select, update on table vcontract.bridge_tombstone to vcontract_server;
grant delete, insert, select, update on table vcontract.dealer to vcontract_server;
grant delete, insert, select, update on table vcontract.dialog to vcontract_server;
grant delete, insert, select, update on table vcontract.embedding to vcontract_server;
grant delete, insert, select, update on table vcontract.embedding_task to vcontract_server;
grant delete, insert, select, update on table vcontract.party to vcontract_server;
grant delete, insert, select, update on table vcontract.passage to vcontract_server;
grant delete, insert, select, update on table vcontract.project to vcontract_server;
grant delete, insert, select, update on table vcontract.project_link to vcontract_server;
grant delete, insert, select, update on table vcontract.reflection to vcontract_server;
grant delete, insert, select, update on table vcontract.result_cache to vcontract_server;
grant delete, insert, select, update on table vcontract.search_document to vcontract_server;
grant delete, insert, select, update on table vcontract.session_checkpoint to vcontract_server;
grant delete, insert, select, update on table vcontract.spelling to vcontract_server;
grant delete, insert, select, update on table vcontract.tag to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript_exchange to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript_file to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript_record to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript_summary to vcontract_server;
grant delete, insert, select, update on table vcontract.transcript_tombstone to vcontract_server;
grant delete, insert, select, update on table vcontract.vcon to vcontract_server;
grant delete, insert, select, update on table vcontract.work_session to vcontract_server;
grant execute on function vcontract.activate_embedding_space(integer) to vcontract_server;
grant execute on function vcontract.aggregate_vcons_by_dealer_stats(jsonb,timestamp with time zone,timestamp with time zone,integer,integer) to vcontract_server;
grant execute on function vcontract.alternative_condition(jsonb,text,text) to vcontract_server;
grant execute on function vcontract.alternative_strength(jsonb,text,text) to vcontract_server;
grant execute on function vcontract.await_passage_writers() to vcontract_server;
grant execute on function vcontract.both_score(double precision,double precision) to vcontract_server;
grant execute on function vcontract.bridge_candidates(text,jsonb,jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.bridge_conditions(text,jsonb) to vcontract_server;
grant execute on function vcontract.bridge_rows(jsonb) to vcontract_server;
grant execute on function vcontract.claim_embedding_tasks(integer,text,uuid,integer,integer) to vcontract_server;
grant execute on function vcontract.containing(text) to vcontract_server;
grant execute on function vcontract.contains_literally(text,text) to vcontract_server;
grant execute on function vcontract.count_rows(text) to vcontract_server;
grant execute on function vcontract.current_tenant() to vcontract_analyst;
grant execute on function vcontract.current_tenant() to vcontract_server;
grant execute on function vcontract.drop_retired_embedding_spaces(interval) to vcontract_server;
grant execute on function vcontract.fill_embedding_space(integer) to vcontract_server;
grant execute on function vcontract.fold_vocabulary(integer) to vcontract_server;
grant execute on function vcontract.frequency_share(double precision) to vcontract_server;
grant execute on function vcontract.is_embedded(text) to vcontract_server;
grant execute on function vcontract.memory_candidates(text,jsonb,jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.near_spellings(text,real,integer) to vcontract_server;
grant execute on function vcontract.open_embedding_space(text,integer,json,double precision[]) to vcontract_server;
grant execute on function vcontract.part_strength(text) to vcontract_server;
grant execute on function vcontract.recall_among(jsonb) to vcontract_server;
grant execute on function vcontract.recall_counts(text[],text[],integer) to vcontract_server;
grant execute on function vcontract.recall_coverage(jsonb,text) to vcontract_server;
grant execute on function vcontract.recall_dialogs(uuid[],jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.recall_heavy(jsonb) to vcontract_server;
grant execute on function vcontract.recall_occurs(jsonb,text) to vcontract_server;
grant execute on function vcontract.recall_occurs_in_passage(jsonb) to vcontract_server;
grant execute on function vcontract.recall_passages(text,uuid[],integer[],jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.recall_rank(jsonb,text) to vcontract_server;
grant execute on function vcontract.recall_rows(text,text,text) to vcontract_server;
grant execute on function vcontract.recall_scores(text,uuid[],jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.refresh_statistics() to vcontract_server;
grant execute on function vcontract.remove_expired() to vcontract_server;
grant execute on function vcontract.search_conditions(jsonb,text) to vcontract_server;
grant execute on function vcontract.search_count(jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_hybrid(jsonb,text,integer,public.halfvec,double precision,integer,integer) to vcontract_server;
grant execute on function vcontract.search_newest(jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_places(uuid[],jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_ranked(jsonb,text,integer,integer) to vcontract_server;
grant execute on function vcontract.search_semantic(jsonb,text,integer,public.halfvec,integer,integer) to vcontract_server;
grant execute on function vcontract.session_candidates(text,jsonb,jsonb,integer,public.halfvec) to vcontract_server;
grant execute on function vcontract.similar_passages(uuid[],text,integer,public.halfvec,double precision[],double precision,integer) to vcontract_server;
grant execute on function vcontract.similarity_score(double precision,double precision[]) to vcontract_server;
grant execute on function vcontract.tag_vocabulary(text,text,text) to vcontract_server;
grant execute on function vcontract.vocabulary_of(text,uuid[]) to vcontract_server;
grant execute on function vcontract.word_strength(real) to vcontract_server;
grant execute on function vcontract.words_score(jsonb,text) to vcontract_server;
grant insert, select on table vcontract.audit to vcontract_server;
grant insert, select on table vcontract.shared_secret to vcontract_server;
grant insert, select on table vcontract.vocabulary_change to vcontract_server;
grant select on table vcontract.analysis to vcontract_analyst;
grant select on table vcontract.attachment to vcontract_analyst;
grant select on table vcontract.dealer to vcontract_analyst;
grant select on table vcontract.dialog to vcontract_analyst;
grant select on table vcontract.embedding to vcontract_analyst;
grant select on table vcontract.embedding_space to vcontract_analyst;
grant select on table vcontract.embedding_space to vcontract_server;
grant select on table vcontract.embedding_task to vcontract_analyst;
grant select on table vcontract.party to vcontract_analyst;
grant select on table vcontract.passage to vcontract_analyst;
grant select on table vcontract.search_document to vcontract_analyst;
grant select on table vcontract.spelling to vcontract_analyst;
grant select on table vcontract.tag to vcontract_analyst;
grant select on table vcontract.vcon to vcontract_analyst;
grant select on table vcontract.vcons_legacy to vcontract_analyst;
grant select on table vcontract.vcons_legacy to vcontract_server;
grant select on table vcontract.vocabulary to vcontract_server;
grant usage on schema vcontract to vcontract_analyst;
grant usage on schema vcontract to vcontract_server;
