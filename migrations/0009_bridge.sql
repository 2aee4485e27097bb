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

-- Conditions on the row r of a kind's table, as SQL. Every text of the filters goes in as a quoted literal.
--   types        ["source", …]            exact        the id that may be superseded
--   ids          ids of records           created, when  {"from"?, "to"?}, half open
--   experiencer  folded by the caller     qualities    [type, …], all of them
--   perspective, processing, shot         framed, reviewed   booleans
--   timeless     true: only what has no event time
create function vcontract.bridge_conditions(kind text, filters jsonb) returns text
    language plpgsql stable
as $$
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
$$;

-- The records that filters admit, with what they are sorted and grouped by.
create function vcontract.bridge_rows(filters jsonb) returns table (
    type text, id text, uid uuid, created timestamptz, occurred_at timestamptz, experiencer text
)
    language plpgsql stable set search_path = pg_catalog, public
as $$
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
$$;

-- What recall may find of one kind among the records that filters admit; see 0006_recall.sql.
create function vcontract.bridge_candidates(kind text, filters jsonb, query jsonb, space integer, vector halfvec)
    returns table (resolved jsonb, ids uuid[], is_cut boolean)
    language plpgsql stable security definer set search_path = pg_catalog, public set max_parallel_workers_per_gather = 0
as $$
begin
    if kind not in ('bridge_source', 'bridge_moment', 'bridge_scene') then
        raise exception 'no kind of the bridge: %', kind;
    end if;
    return query select * from vcontract.recall_candidates(kind, format(
        'exists (select from vcontract.%I r where r.uid = d.id and %s)', kind,
        vcontract.bridge_conditions(kind, filters)), query, space, vector);
end
$$;

-- Remove what nobody can ask for any more, of every tenant: results past their time, and errors of 90 days ago; how
-- many rows. Any session may do it; a row that another one has locked stays until the next time.
create function vcontract.remove_expired() returns bigint
    language sql security definer set search_path = pg_catalog
as $$
    with results as (
        delete from vcontract.result_cache c where c.ctid = any(array(
            select e.ctid from vcontract.result_cache e where e.expires_at <= now() for update skip locked)) returning 1
    ), errors as (
        delete from vcontract.bridge_processing_error p where p.ctid = any(array(
            select e.ctid from vcontract.bridge_processing_error e
            where e.occurred_at < now() - interval '90 days' for update skip locked)) returning 1
    )
    select (select count(*) from results) + (select count(*) from errors)
$$;

select vcontract.restrict_functions();
