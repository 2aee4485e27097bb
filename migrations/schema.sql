-- What the migrations of this folder add up to. Made by: python -m vcontract.runtime.store.schema
-- For reading only: databases are made by the migrations themselves.

create extension btree_gin;
create extension pg_trgm;

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
create policy own_tenant on vcontract.analysis as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.attachment as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.dealer as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.dialog as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.party as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.passage as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.search_document as permissive for all to vcontract_server
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
create policy own_tenant on vcontract.spelling as permissive for all to vcontract_server
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
alter table vcontract.tag enable row level security;
create policy own_tenant on vcontract.tag as permissive for all to vcontract_server
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
    constraint vcon_pkey PRIMARY KEY (tenant, uuid),
    constraint vcon_tag_carriers_check CHECK ((tag_carriers = ANY (ARRAY['none'::text, 'attachments'::text, 'top_level'::text])))
);
CREATE INDEX vcon_newest ON vcontract.vcon USING btree (tenant, created_at DESC, uuid DESC);
CREATE INDEX vcon_subject ON vcontract.vcon USING gin (tenant, subject_folded public.gin_trgm_ops);
alter table vcontract.vcon enable row level security;
create policy own_tenant on vcontract.vcon as permissive for all to vcontract_server
    using ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)))
    with check ((tenant = ( SELECT vcontract.current_tenant() AS current_tenant)));

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

CREATE OR REPLACE FUNCTION vcontract.containing(piece text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (('%'::text || replace(replace(replace(piece, '\'::text, '\\'::text), '%'::text, '\%'::text), '_'::text, '\_'::text)) || '%'::text);

CREATE OR REPLACE FUNCTION vcontract.current_tenant()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN current_setting('vcontract.tenant'::text);

CREATE OR REPLACE FUNCTION vcontract.frequency_share(rank double precision)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((0.7)::double precision + ((0.3)::double precision * ((1)::double precision - ((2)::double precision / (round((((1)::double precision / ((1.64493406684823)::double precision * ((1)::double precision - rank))) - (0.5)::double precision)) + (2)::double precision)))));

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

CREATE OR REPLACE FUNCTION vcontract.part_strength(part text)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE part WHEN 'attachment'::text THEN 0.8 WHEN 'dialog'::text THEN 0.9 WHEN 'analysis'::text THEN 0.9 ELSE (1)::numeric END;

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
        conditions := conditions || format(
            ' and exists (select from vcontract.tag t where t.tenant = %L and t.vcon = d.id and t.key = %L'
            ' and left(t.value, 256) = left(%L, 256) and t.value = %L)',
            tenant, item ->> 'key', item ->> 'value', item ->> 'value');
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
        ' select p.part, p.element, p.content, vcontract.part_strength(p.part) * (%s) / %s as score'
        ' from vcontract.passage p where p.tenant = %L and p.kind = %L and p.id = i.id and p.words @@ %L::tsquery'
        ' order by score desc, p.part, p.element, p.chunk limit %s) b',
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

CREATE OR REPLACE FUNCTION vcontract.word_strength(rank real)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (rank <= (0)::double precision) THEN (0)::double precision WHEN (rank >= (0.5)::double precision) THEN vcontract.frequency_share((rank)::double precision) WHEN (rank >= (0.0005)::double precision) THEN ((0.9)::double precision * vcontract.frequency_share((rank * ('1000'::numeric)::double precision))) WHEN (rank >= (0.0000005)::double precision) THEN ((0.8)::double precision * vcontract.frequency_share((rank * ('1000000'::numeric)::double precision))) ELSE vcontract.frequency_share((rank * ('1000000000'::numeric)::double precision)) END;

grant delete, insert, select, update on table vcontract.analysis to vcontract_server;
grant delete, insert, select, update on table vcontract.attachment to vcontract_server;
grant delete, insert, select, update on table vcontract.dealer to vcontract_server;
grant delete, insert, select, update on table vcontract.dialog to vcontract_server;
grant delete, insert, select, update on table vcontract.party to vcontract_server;
grant delete, insert, select, update on table vcontract.passage to vcontract_server;
grant delete, insert, select, update on table vcontract.search_document to vcontract_server;
grant delete, insert, select, update on table vcontract.spelling to vcontract_server;
grant delete, insert, select, update on table vcontract.tag to vcontract_server;
grant delete, insert, select, update on table vcontract.vcon to vcontract_server;
grant execute on function vcontract.alternative_condition(jsonb,text,text) to vcontract_server;
grant execute on function vcontract.alternative_strength(jsonb,text,text) to vcontract_server;
grant execute on function vcontract.containing(text) to vcontract_server;
grant execute on function vcontract.current_tenant() to vcontract_server;
grant execute on function vcontract.frequency_share(double precision) to vcontract_server;
grant execute on function vcontract.near_spellings(text,real,integer) to vcontract_server;
grant execute on function vcontract.part_strength(text) to vcontract_server;
grant execute on function vcontract.refresh_statistics() to vcontract_server;
grant execute on function vcontract.search_conditions(jsonb,text) to vcontract_server;
grant execute on function vcontract.search_count(jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_newest(jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_places(uuid[],jsonb,text,integer) to vcontract_server;
grant execute on function vcontract.search_ranked(jsonb,text,integer,integer) to vcontract_server;
grant execute on function vcontract.word_strength(real) to vcontract_server;
grant insert, select on table vcontract.audit to vcontract_server;
grant insert, select on table vcontract.shared_secret to vcontract_server;
grant usage on schema vcontract to vcontract_server;
