-- What the numbered files call; applied before them, and once more with the other functions.

-- It is made anew after everything else; until then it must hold nothing fast that a file changes.
drop schema if exists vcontract_blank cascade;

-- A setting of pgvector can be written into a function once the session knows it, unless one is a superuser.
do $$
begin
    if to_regtype('public.vector') is not null then
        execute $vector$ select '[1]'::public.vector $vector$;
    end if;
end
$$;

-- A folded text with letters that keyboards replace as these write them, and digits of other scripts as 0 to 9: what
-- _LIKE of runtime/text/words.py says. Letters without width go.
create or replace function vcontract.without_variants(name text) returns text
    language sql immutable parallel safe
    return case when octet_length(name) = length(name) then name
        else translate(replace(replace(replace(replace(name, 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ŉ', 'n'),
            'łøđðħŧıŋɨʉƶƀɓɗɡĸґқңүұһیىېےکڪہھەۀة٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯' || u&'\0640\200c\200d\02bc\02bb\02b9',
            'lodghtiniuzbbdgkгкнууһييييككههههه0123456789012345678901234567890123456789') end;

-- A role without rights of its own. Roles belong to the whole cluster: it may be there. Whoever makes one may take it on.
create or replace function vcontract.add_role(name text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (select from pg_roles r where r.rolname = add_role.name) then
        begin
            execute format('create role %I nologin nosuperuser nobypassrls nocreatedb nocreaterole', name);
        exception when duplicate_object or unique_violation then
            null;
        end;
        if not pg_has_role(current_user, name, 'set') then
            execute format('grant %I to %I with inherit false, set true', name, current_user);
        end if;
    end if;
    execute format('grant usage on schema vcontract to %I', name);
end
$$;

create or replace function vcontract.current_tenant() returns text
    language sql stable parallel safe
    return current_setting('vcontract.tenant');

-- What the session's caller wants conversations for, with commas between; null when nobody said.
create or replace function vcontract.current_purposes() returns text
    language sql stable parallel safe
    return nullif(current_setting('vcontract.purposes', true), '');

-- The vCons of the tenant (of one of them, that one) that are not answered for the session's purposes: a party does not
-- consent, or not any more; or where consent is required, a party has not said so. Who has the role agent speaks for
-- whoever keeps the store. What the transaction itself has stored it sees until it ends.
create or replace function vcontract.without_consent(of_vcon uuid default null) returns setof uuid
    language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant constant text := vcontract.current_tenant();
    purposes constant text[] := string_to_array(vcontract.current_purposes(), ',');
    this constant xid := pg_current_xact_id_if_assigned()::xid;
begin
    return query
    select c.vcon from vcontract.consent c
    where c.tenant = of_tenant and (of_vcon is null or c.vcon = of_vcon) and c.purpose = any(purposes || '*'::text)
        and c.until <= now() and c.xmin is distinct from this;
    if current_setting('vcontract.consent_required', true) = 'on' then
        return query
        select v.uuid from vcontract.vcon v
        where v.tenant = of_tenant and (of_vcon is null or v.uuid = of_vcon) and v.xmin is distinct from this and exists (
            select from vcontract.party p cross join unnest(purposes) f (purpose)
            where p.tenant = of_tenant and p.vcon = v.uuid and lower(p.doc ->> 'role') is distinct from 'agent'
                and not exists (
                    select from vcontract.consent c
                    where c.tenant = of_tenant and c.vcon = v.uuid and c.purpose = f.purpose and c.party = p.index));
    end if;
end
$$;

-- Whether a thing is answered for the session's purposes: true, or null when it is not. For policies: the planner takes
-- `is not null` for a condition that costs no row.
create or replace function vcontract.answered(kind text, id uuid) returns boolean
    language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_vcon uuid := answered.id;
begin
    if answered.kind = 'exchange' then
        select x.vcon into of_vcon from vcontract.transcript_exchange x
        where x.tenant = vcontract.current_tenant() and x.id = answered.id;
    elsif answered.kind <> 'vcon' then
        return true;
    end if;
    return case when of_vcon is null or not exists (select from vcontract.without_consent(of_vcon)) then true end;
end
$$;

-- The things that are not answered for the session's purposes: vCons, and exchanges of transcripts that are such vCons.
create or replace function vcontract.withheld() returns setof uuid
    language plpgsql stable parallel safe security definer set search_path = pg_catalog, pg_temp
as $$
begin
    if vcontract.current_purposes() is not null then
        return query select w from vcontract.without_consent() w
        union select x.id from vcontract.transcript_exchange x
            where x.tenant = vcontract.current_tenant() and x.vcon in (select w from vcontract.without_consent() w);
    end if;
end
$$;

-- What those vCons count as in the vocabulary.
create or replace function vcontract.vocabulary_without_consent()
    returns table (about text, name text, detail text, vcons bigint)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
begin
    if vcontract.current_purposes() is not null then
        return query select * from vcontract.vocabulary_of(
            vcontract.current_tenant(), array(select w from vcontract.without_consent() w))
        union all
        select 'bytes', '', '', sum(t.archive_size)::bigint from vcontract.transcript t
        where t.tenant = vcontract.current_tenant() and t.vcon in (select w from vcontract.without_consent() w)
        having count(*) > 0;
    end if;
end
$$;

-- Whether nothing of the tenant is withheld from the session. Spellings are of no single vCon: where something is withheld,
-- any of them may be its.
create or replace function vcontract.nothing_withheld() returns boolean
    language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select vcontract.current_purposes() is null or not exists (select from vcontract.without_consent())
$$;

-- The names of people that the session may read: those of a party that is answered, if the name under which the person is
-- listed is one, too.
create or replace function vcontract.answered_aliases() returns table (name_folded text, email_folded text, tel_digits text)
    language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    of_tenant constant text := vcontract.current_tenant();
    not_answered constant uuid[] := array(select vcontract.withheld());
begin
    return query
    with alias as materialized (
        select a.person, a.written, a.name_folded, a.email_folded, a.tel_digits
        from vcontract.alias a
        where a.tenant = of_tenant and exists (
            select from vcontract.party p
            where p.tenant = of_tenant and p.vcon <> all(not_answered) and case
                when a.name_folded <> '' then p.name_folded = a.name_folded
                when a.email_folded <> '' then p.email_folded = a.email_folded
                else p.tel_digits = a.tel_digits end)
    )
    select a.name_folded, a.email_folded, a.tel_digits from alias a
    where exists (select from alias f where f.person = a.person and f.written = a.person);
end
$$;

-- Has tables show only what is answered for the session's purposes; `field` names the vCon, or a thing beside its kind.
create or replace function vcontract.bind_to_consent(field text, variadic tables text[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    name text;
begin
    foreach name in array tables loop
        execute format(
            'create policy consented on vcontract.%I as restrictive using (case when vcontract.current_purposes() is null'
            ' then true else vcontract.answered(%s, %I) end is not null) with check (true)',
            name, case field when 'id' then 'kind' else quote_literal('vcon') end, field
        );
    end loop;
end
$$;

-- The time that an `expiration` names, infinity without one. Source: RFC 3339; the offset, or the whole time of day, may be
-- missing. PostgreSQL itself would read words such as "tomorrow", too.
-- Raises: invalid_datetime_format.
create or replace function vcontract.expiration_in(said jsonb) returns timestamptz
    language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC'
as $$
declare
    expiration constant text := said ->> 'expiration';
begin
    if expiration !~* '^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$' then
        raise invalid_datetime_format;
    end if;
    return coalesce(expiration::timestamptz, 'infinity');
end
$$;

-- A name of a purpose, or of a kind of attachment, as it is compared; null for one without letters.
create or replace function vcontract.consent_name(written text) returns text
    language sql immutable
    return nullif(lower(regexp_replace(written, '^\s+|\s+$', '', 'g')), '');

-- Whether attachments of this purpose say what somebody consents to.
create or replace function vcontract.is_of_consent(purpose text) returns boolean
    language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select replace(vcontract.consent_name(purpose), '-', '_') in ('consent', 'lawful_basis')
$$;

-- What an attachment says of consent, of each party and purpose until when: -infinity where there is none, infinity where
-- it does not end. One that cannot be read is none, for any purpose ('*'). Members of the attachment and of its body count.
-- Sources: draft-howe-vcon-consent-00, sections 5 to 13 and 19 to 20; draft-howe-vcon-lawful-basis, purpose_grants.
create or replace function vcontract.consents_in(attachment json)
    returns table (party integer, purpose text, until timestamptz)
    language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    body text := attachment ->> 'body';
    inner_said jsonb;
    outer_said constant jsonb := attachment::jsonb - 'body';
    statements jsonb;
    until_all timestamptz;
begin
    if attachment ->> 'encoding' = 'base64url' then
        body := convert_from(decode(rpad(translate(body, '-_', '+/'), (length(body) + 3) / 4 * 4, '='), 'base64'), 'UTF8');
    end if;
    inner_said := coalesce(body::jsonb, '{}');
    select jsonb_agg(l.list) into statements
    from unnest(array[outer_said, inner_said]) said
    cross join lateral unnest(array[said -> 'consents', said -> 'purpose_grants']) l (list)
    where l.list is not null;
    if statements is null or exists (select from jsonb_array_elements(statements) l where jsonb_typeof(l) <> 'array') then
        raise invalid_parameter_value;
    end if;
    until_all := least(vcontract.expiration_in(outer_said), vcontract.expiration_in(inner_said));
    return query
    with stated as materialized (
        select vcontract.consent_name(coalesce(s ->> 'purpose', s ->> 'consent')) as purpose,
            coalesce(s ->> 'vocabulary', '') as vocabulary,
            -- each of the three that is there has to say so
            coalesce(vcontract.consent_name(s ->> 'status') = 'granted', true)
                and coalesce((s ->> 'granted')::boolean, true) and coalesce((s ->> 'value')::boolean, true)
                and coalesce(s ->> 'status', s ->> 'granted', s ->> 'value') is not null as granted,
            vcontract.expiration_in(s) as ends
        from jsonb_array_elements(statements) l cross join jsonb_array_elements(l) s
    ), narrower (general, purpose) as (
        -- of draft-ietf-aipref-vocab-01: what is said of the general holds for these unless they are named
        values ('tdm', 'ai'), ('tdm', 'genai'), ('tdm', 'search'), ('tdm', 'inference'), ('ai', 'genai')
    )
    select coalesce((outer_said ->> 'party')::integer, (inner_said ->> 'party')::integer, -1), s.purpose,
        case when not s.granted then '-infinity' else least(until_all, s.ends) end
    from (
        select t.purpose, t.granted, t.ends from stated t
        union all
        select n.purpose, t.granted, t.ends from stated t join narrower n on n.general = t.purpose
        where t.vocabulary = 'ai-pref' and not t.granted and not exists (select from stated o where o.purpose = n.purpose)
    ) s;
exception when data_exception or null_value_not_allowed or character_not_in_repertoire then
    return query select -1, '*', '-infinity'::timestamptz;
end
$$;

-- Has consent be what the attachments of these vCons say, for whoever has written them. The most restrictive of a party and
-- purpose counts. No trigger: tables that are spread over machines have none.
create or replace function vcontract.note_consent(vcons uuid[]) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    of_tenant constant text := vcontract.current_tenant();
begin
    delete from vcontract.consent c where c.tenant = of_tenant and c.vcon = any(vcons);
    insert into vcontract.consent (tenant, vcon, party, purpose, until)
    select a.tenant, a.vcon, s.party, coalesce(s.purpose, '*'), min(case when s.purpose is null then '-infinity' else s.until end)
    from vcontract.attachment a cross join vcontract.consents_in(a.doc) s
    where a.tenant = of_tenant and a.vcon = any(vcons) and vcontract.is_of_consent(a.purpose)
    group by a.tenant, a.vcon, s.party, coalesce(s.purpose, '*');
end
$$;

-- The uuids that the member group of a vCon names, in small letters.
create or replace function vcontract.group_uuids(head json) returns text[]
    language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
    return array(
        select distinct lower(e ->> 'uuid')
        from json_array_elements(case when json_typeof(head -> 'group') = 'array' then head -> 'group' end) e
        where json_typeof(e) = 'object' and e ->> 'uuid' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$');
end
$$;

-- Binds tables to the tenant of the session: the server reads and writes the rows of that tenant and no others.
create or replace function vcontract.bind_to_tenant(variadic tables text[]) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
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
