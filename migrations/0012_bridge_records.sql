-- Lived experience as records and links, in place of a table for each type of record and each kind of link.

-- A record of lived experience. An id is text, so that its order is the order of making; uid is the same 128 bits, as the
-- index has them. A moment frames sources, a scene weaves moments or other scenes. Their experiencers (folded),
-- perspectives and processings are those of all sources underneath, and so is the event time unless it is their own.
-- reframed_by stands in their place.
create table vcontract.bridge_record (
    tenant text not null,
    id text collate "C" not null,
    uid uuid not null,
    type text not null check (type in ('source', 'moment', 'scene')),
    experiencer text not null,
    experiencer_folded text not null,
    when_text text,
    when_start timestamptz,
    when_end timestamptz,
    when_zone text,
    when_precision text,
    created timestamptz not null,
    modified timestamptz,
    -- of a source
    content text,
    content_type text,
    perspective text check (perspective in ('I', 'we', 'you', 'they')),
    processing text check (processing in ('during', 'right-after', 'long-after', 'crafted')),
    file text,
    -- of a moment or scene
    emoji text,
    summary text,
    narrative text,
    shot text check (shot in (
        'moment-of-recognition', 'sustained-attention', 'crossing-threshold', 'peripheral-awareness',
        'directed-momentum', 'holding-opposites'
    )),
    reviewed boolean,
    auto_generated boolean,
    when_own boolean not null default false,
    reframed_by text collate "C",
    experiencers text[] not null default '{}',
    perspectives text[] not null default '{}',
    processings text[] not null default '{}',
    primary key (tenant, id),
    unique (tenant, uid),
    foreign key (tenant, reframed_by) references vcontract.bridge_record (tenant, id),
    check (starts_with(id, case type when 'source' then 'src_' when 'moment' then 'mom_' else 'sce_' end)),
    check (left(reframed_by, 4) = left(id, 4) and reframed_by <> id),
    check (when_start < when_end),
    check ((when_start is null) = (when_end is null)),
    check (when_start is null or (when_zone is not null and when_precision is not null)),
    check (case type when 'source'
        then num_nulls(content, content_type, perspective, processing) = 0
            and num_nonnulls(emoji, summary, narrative, shot, reviewed, auto_generated, reframed_by) = 0
        else num_nulls(emoji, summary, shot, reviewed, auto_generated) = 0
            and num_nonnulls(content, content_type, perspective, processing, file) = 0
        end),
    check (type <> 'scene' or narrative is not null)
);
create index bridge_record_created on vcontract.bridge_record (tenant, created desc, id desc);
create index bridge_record_reframed on vcontract.bridge_record (tenant, reframed_by);

-- What a record holds, in order: a source those that it reflects on, a moment sources, or excerpts between two code points
-- of them, a scene moments and scenes. A stale excerpt is no longer in its source.
create table vcontract.bridge_link (
    tenant text not null,
    holder text collate "C" not null,
    position integer not null,
    kind text not null check (kind in ('reflects on', 'frames', 'weaves')),
    member text collate "C" not null,
    start_char integer,
    end_char integer,
    stale boolean not null default false,
    primary key (tenant, holder, position),
    foreign key (tenant, holder) references vcontract.bridge_record (tenant, id),
    foreign key (tenant, member) references vcontract.bridge_record (tenant, id),
    check (kind = case left(holder, 4) when 'src_' then 'reflects on' when 'mom_' then 'frames' else 'weaves' end),
    check (starts_with(member, 'src_') = (kind <> 'weaves')),
    check (member <> holder),
    check (kind = 'frames' or start_char is null and not stale),
    check (start_char < end_char and start_char >= 0),
    check ((start_char is null) = (end_char is null)),
    check (not stale or start_char is null)
);
create index bridge_link_member on vcontract.bridge_link (tenant, member);
create unique index bridge_link_reflection on vcontract.bridge_link (tenant, holder, member) where kind = 'reflects on';

insert into vcontract.bridge_record (
    tenant, id, uid, type, experiencer, experiencer_folded, when_text, when_start, when_end, when_zone, when_precision,
    created, modified, content, content_type, perspective, processing, file
)
select tenant, id, uid, 'source', experiencer, experiencer_folded, when_text, when_start, when_end, when_zone,
    when_precision, created, modified, content, content_type, perspective, processing, file
from vcontract.bridge_source;

insert into vcontract.bridge_record (
    tenant, id, uid, type, experiencer, experiencer_folded, when_text, when_start, when_end, when_zone, when_precision,
    created, modified, emoji, summary, narrative, shot, reviewed, auto_generated, when_own, reframed_by, experiencers,
    perspectives, processings
)
select tenant, id, uid, 'moment', experiencer, experiencer_folded, when_text, when_start, when_end, when_zone,
    when_precision, created, modified, emoji, summary, narrative, shot, reviewed, auto_generated, when_own, reframed_by,
    experiencers, perspectives, processings
from vcontract.bridge_moment
union all
select tenant, id, uid, 'scene', experiencer, experiencer_folded, when_text, when_start, when_end, when_zone,
    when_precision, created, modified, emoji, summary, narrative, shot, reviewed, auto_generated, when_own, reframed_by,
    experiencers, perspectives, processings
from vcontract.bridge_scene;

insert into vcontract.bridge_link (tenant, holder, position, kind, member, start_char, end_char, stale)
select tenant, source_id, position, 'reflects on', reflects_on, null, null, false from vcontract.bridge_reflection
union all
select tenant, moment_id, position, 'frames', source_id, start_char, end_char, stale from vcontract.bridge_moment_source
union all
select tenant, scene_id, position, 'weaves', coalesce(moment_id, child_scene_id), null, null, false
from vcontract.bridge_scene_member;

alter table vcontract.bridge_quality
    drop constraint bridge_quality_tenant_moment_id_fkey,
    add foreign key (tenant, moment_id) references vcontract.bridge_record (tenant, id);

drop table vcontract.bridge_scene_member, vcontract.bridge_moment_source, vcontract.bridge_reflection,
    vcontract.bridge_scene, vcontract.bridge_moment, vcontract.bridge_source;

select vcontract.bind_to_tenant('bridge_record', 'bridge_link');
