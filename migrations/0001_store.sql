-- The store: vCons and what is derived from them, every row under its tenant.
--
-- The server works as vcontract_server, a role that owns nothing and is bound by row level security:
-- a statement sees the rows of the tenant in the setting vcontract.tenant and no others.
-- PostgreSQL uses no GIN index below a row security policy, because the operators of those indexes are
-- not proven leakproof. So the few functions that search by index run with their owner's rights
-- (security definer) and name the tenant themselves.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

select vcontract.add_role('vcontract_server');

-- One vCon. head holds every top-level member but the four arrays, in order and exactly as given.
create table vcontract.vcon (
    tenant text not null,
    uuid uuid not null,
    created_at timestamptz not null,
    stored_at timestamptz not null,
    updated_at timestamptz not null,
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
    -- Where the vCon itself carries tags; top_level when its member tags does, maybe beside attachments.
    tag_carriers text not null check (tag_carriers in ('none', 'attachments', 'top_level')),
    primary key (tenant, uuid)
);
create index vcon_newest on vcontract.vcon (tenant, created_at desc, uuid desc);
create index vcon_subject on vcontract.vcon using gin (tenant, subject_folded gin_trgm_ops);

-- The four arrays, one row an element, doc exactly as given.
create table vcontract.party (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    name_folded text not null,
    email_folded text not null,
    tel_digits text not null,
    primary key (tenant, vcon, index),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);
create index party_name on vcontract.party using gin (tenant, name_folded gin_trgm_ops);
create index party_email on vcontract.party using gin (tenant, email_folded gin_trgm_ops);
create index party_tel on vcontract.party using gin (tenant, tel_digits gin_trgm_ops);

create table vcontract.dialog (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    type text,
    primary key (tenant, vcon, index),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);

create table vcontract.analysis (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    type text,
    vendor text,
    primary key (tenant, vcon, index),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);

create table vcontract.attachment (
    tenant text not null,
    vcon uuid not null,
    index integer not null,
    doc json not null,
    purpose text,
    primary key (tenant, vcon, index),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);

-- The truth about tags; value is the tag as text, type tells how it goes out.
create table vcontract.tag (
    tenant text not null,
    vcon uuid not null,
    key text not null,
    value text not null,
    type text not null check (type in ('string', 'number', 'boolean')),
    primary key (tenant, vcon, key),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);
-- A value may be longer than an index entry; its beginning finds it.
create index tag_value on vcontract.tag (tenant, key, left(value, 256), vcon);
-- A key and its values depend on each other: how many have both decides whether a search begins with the tag.
create statistics vcontract.tag_pairs (mcv) on tenant, key, (left(value, 256)) from vcontract.tag;

create table vcontract.dealer (
    tenant text not null,
    vcon uuid not null,
    id text not null,
    name text,
    name_folded text not null,
    team_id text,
    team_name text,
    doc json not null,
    primary key (tenant, vcon),
    foreign key (tenant, vcon) references vcontract.vcon on delete cascade
);
create index dealer_id on vcontract.dealer (tenant, id, vcon);
create index dealer_name on vcontract.dealer using gin (tenant, name_folded gin_trgm_ops);

-- Who changed what. Never the text of a conversation.
create table vcontract.audit (
    tenant text not null,
    id uuid not null,
    at timestamptz not null,
    caller text not null,
    action text not null,
    vcon uuid,
    detail json,
    primary key (tenant, id)
);

-- Secrets that all processes of a deployment share, such as the key that signs cursors.
create table vcontract.shared_secret (
    name text primary key,
    value bytea not null
);

select vcontract.bind_to_tenant('vcon', 'party', 'dialog', 'analysis', 'attachment', 'tag', 'dealer', 'audit');
revoke update, delete on vcontract.audit from vcontract_server;
grant select, insert on vcontract.shared_secret to vcontract_server;
