-- Files that transcripts changed. It runs with its owner's rights, because row security would keep PostgreSQL from the
-- index, so it names the tenant of the session; whose transcript may be seen is for the caller, who joins it.

-- The files whose path has a segment.
create or replace function vcontract.files_with(segment text) returns setof vcontract.transcript_file
    language sql stable security definer set search_path = pg_catalog, pg_temp rows 20
as $$
    select f.* from vcontract.transcript_file f
    where f.tenant = vcontract.current_tenant() and string_to_array(replace(f.path, '\', '/'), '/') @> array[segment]
$$;
