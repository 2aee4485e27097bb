-- The store: vCons and what is derived from them, every row under its tenant.
--
-- The server works as vcontract_server, a role that owns nothing and is bound by row level security:
-- a statement sees the rows of the tenant in the setting vcontract.tenant and no others.
-- PostgreSQL uses no GIN index below a row security policy, because the operators of those indexes are
-- not proven leakproof. So the few functions that search by index run with their owner's rights
-- (security definer) and name the tenant themselves.

create schema if not exists vcontract;
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- A role without rights of its own, which the owner may take on. Roles belong to the whole cluster: it may be there.
create function vcontract.add_role(name text) returns void
    language plpgsql set search_path = pg_catalog
as $$
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
$$;

select vcontract.add_role('vcontract_server');

create function vcontract.current_tenant() returns text
    language sql stable parallel safe
    return current_setting('vcontract.tenant');

-- Binds tables to the tenant of the session: the server reads and writes the rows of that tenant and no others.
create function vcontract.bind_to_tenant(variadic tables text[]) returns void
    language plpgsql set search_path = pg_catalog
as $$
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
$$;

-- Keeps for the server what functions anybody may still call: an owner's function may read every tenant's rows.
-- Every migration that makes functions ends with it.
create function vcontract.restrict_functions() returns void
    language plpgsql set search_path = pg_catalog
as $$
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
$$;
revoke execute on function vcontract.add_role, vcontract.bind_to_tenant, vcontract.restrict_functions from public;

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

-- What words find: one row for each thing that is found as a whole. words has no text positions:
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

select vcontract.bind_to_tenant(
    'vcon', 'party', 'dialog', 'analysis', 'attachment', 'tag', 'dealer', 'search_document', 'passage',
    'spelling', 'audit'
);
revoke update, delete on vcontract.audit from vcontract_server;
grant select, insert on vcontract.shared_secret to vcontract_server;

-- Plans are only as good as the statistics: a large import asks for them, only the owner can gather them.
create function vcontract.refresh_statistics() returns void
    language plpgsql security definer set search_path = pg_catalog
as $$
declare
    name text;
begin
    for name in
        select c.relname from pg_class c where c.relnamespace = 'vcontract'::regnamespace and c.relkind = 'r'
    loop
        execute format('analyze vcontract.%I', name);
    end loop;
end
$$;

select vcontract.restrict_functions();
