-- People under several names: see vcontract.alias.

-- SQL for whether a party p meets a condition on p, or is an alias of a person of whom any alias meets it.
create or replace function vcontract.or_known_as(condition text) returns text
    language plpgsql stable
as $$
declare
    tenant constant text := vcontract.current_tenant();
    known record;
begin
    execute format(
        'select array_agg(a.name_folded) filter (where a.name_folded <> '''') as names,'
        ' array_agg(a.email_folded) filter (where a.email_folded <> '''') as addresses,'
        ' array_agg(a.tel_digits) filter (where a.tel_digits <> '''') as numbers'
        ' from vcontract.answered_alias a where a.tenant = %1$L and a.person in'
        ' (select p.person from vcontract.answered_alias p where p.tenant = %1$L and %2$s)',
        tenant, condition) into known;
    return '(' || condition
        || coalesce(' or p.name_folded = any(' || quote_literal(known.names) || '::text[])', '')
        || coalesce(' or p.email_folded = any(' || quote_literal(known.addresses) || '::text[])', '')
        || coalesce(' or p.tel_digits = any(' || quote_literal(known.numbers) || '::text[])', '') || ')';
end
$$;

-- SQL for `person`, an expression over the alias a that a party p is; for `own` where it is none. By its name rather than
-- its address, and by that rather than its number.
create or replace function vcontract.as_person(person text, own text) returns text
    language sql stable
    return case when exists (select from vcontract.answered_alias a where a.tenant = vcontract.current_tenant()) then format(
        'coalesce((select %s from vcontract.answered_alias a where a.tenant = %L and (a.name_folded, a.email_folded, a.tel_digits)'
        ' in ((p.name_folded, '''', ''''), ('''', p.email_folded, ''''), ('''', '''', p.tel_digits))'
        ' order by a.name_folded = '''', a.email_folded = '''' limit 1), %s)',
        person, vcontract.current_tenant(), own) else own end;

-- SQL for who a party p is: the person that it is known as, else its name, else address, else number, folded.
create or replace function vcontract.who() returns text
    language sql stable
    return vcontract.as_person('vcontract.folded(a.person)',
        'coalesce(nullif(p.name_folded, ''''), nullif(p.email_folded, ''''), nullif(p.tel_digits, ''''))');
