-- A store of 12,000 vCons of one tenant (plans), with transcripts, reflections and records beside them, and of forty of
-- another (plans-small). Foreign keys are not checked, so that it is made in a few seconds, and so that there may be more parties
-- and dealers than vCons: so many, and of such a length, that an index finds some of them far sooner than reading all.
set session_replication_role = replica;
create function pg_temp.uid(kind text, n integer) returns uuid language sql immutable
    return (left(md5(kind), 8) || '-0000-8000-8000-' || lpad(to_hex(n), 12, '0'))::uuid;
create temporary table made as
    select 'plans' as tenant, n from generate_series(1, 12000) n
    union all select 'plans-small', n from generate_series(1, 40) n;
insert into vcontract.vcon (
    tenant, uuid, created_at, began_at, stored_at, updated_at, spec_version, subject_folded, head, metadata, conformance,
    content_digest, parties, dialogs, analyses, attachments, tag_carriers, features, bytes
)
select tenant, pg_temp.uid('vcon', n), '2025-01-01Z'::timestamptz + n * interval '1 hour',
    '2025-01-01Z'::timestamptz + n * interval '1 hour', now(), now(), '0.4.0',
    'call number ' || n, json_build_object('subject', 'call number ' || n), '{}', '{}', '', 1, 2, 1, 1, 'none',
    array['field:subject', 'analysis:' || case when n % 4000 = 7 then 'rare' else 'summary' end,
        'role:' || case when n % 4000 = 7 then 'Judge' else 'agent' end], 100
from made;
update vcontract.vcon set head = json_build_object('amended', json_build_object('uuid', pg_temp.uid('vcon', 7)))
where uuid = pg_temp.uid('vcon', 8);
create temporary table many as select * from made union all select 'plans', n from generate_series(12001, 40000) n;
insert into vcontract.search_document (tenant, kind, id, occurred_at, words, is_numbered, turns_known, turns_end, talk_seconds)
select tenant, 'vcon', pg_temp.uid('vcon', n), '2025-01-01Z'::timestamptz + n * interval '1 hour',
    ('common:1B w' || n % 2000 || ':1B')::tsvector, true, 3, 15, 10
from made;
insert into vcontract.party (tenant, vcon, index, doc, name_folded, email_folded, tel_digits)
select tenant, pg_temp.uid('vcon', n), 0, json_build_object('name', 'Ann', 'role', case when n % 4000 = 7 then 'Judge' else 'agent' end, 'note', repeat('.', 300)),
    'ann ' || md5((n % 3000)::text), md5((n % 3000)::text) || '@example.org', '1555' || lpad((n % 3000)::text, 6, '0')
from many;
insert into vcontract.dialog (tenant, vcon, index, doc, type)
select tenant, pg_temp.uid('vcon', n), i, json_strip_nulls(json_build_object('type', 'text', 'body', 'common', 'duration',
    case when n % 100 = 7 then 3 end)), 'text'
from made, generate_series(0, 1) i;
insert into vcontract.analysis (tenant, vcon, index, doc, type, vendor)
select tenant, pg_temp.uid('vcon', n), 0, '{}', 'summary', 'vendor ' || n % 3 from made;
insert into vcontract.attachment (tenant, vcon, index, doc, purpose)
select tenant, pg_temp.uid('vcon', n), 0, '{}', 'notes' from made;
insert into vcontract.attachment (tenant, vcon, index, doc, purpose)
select tenant, pg_temp.uid('vcon', n), 1, json_build_object('meta', json_build_object('conversation_export',
    json_build_object('keys', json_build_array('message ' || n, 'thread ' || n / 50)))), 'tags'
from made where n > 6000 and n % 10 = 0;
insert into vcontract.tag (tenant, vcon, key, value, type)
select tenant, pg_temp.uid('vcon', n), k, case k when 'batch' then (n % 3000)::text else (n % 3)::text end, 'string'
from made, unnest('{batch,side}'::text[]) k;
insert into vcontract.tag (tenant, vcon, key, value, type)
select tenant, pg_temp.uid('vcon', n), 'project', 'project ' || n % 5, 'string' from made where n % 10 = 0;
insert into vcontract.tag (tenant, vcon, key, value, type)
select tenant, pg_temp.uid('vcon', n), 'source', 'email', 'string' from made where n > 6000 and n % 10 = 0;
insert into vcontract.dealer (tenant, vcon, id, name, name_folded, doc)
select tenant, pg_temp.uid('vcon', n), 'dealer ' || n % 3000, md5((n % 3000)::text), md5((n % 3000)::text), json_build_object('note', repeat('.', 300))
from many;
insert into vcontract.passage (tenant, kind, id, part, element, chunk, content, words)
select tenant, 'vcon', pg_temp.uid('vcon', n), 'dialog', i, 0, 'common w' || n % 2000,
    (case i when 0 then 'common:1' else 'common:1 w' || n % 2000 || ':2' end)::tsvector
from made, generate_series(0, 1) i;
insert into vcontract.turn (tenant, vcon, dialog, number, starts, ends, words, is_missing, length)
select tenant, pg_temp.uid('vcon', n), i, 0, 10 * i, 10 * i + 5,
    (case i when 0 then 'common:1' else 'common:1 w' || n % 2000 || ':2' end)::tsvector, false, 5
from made, generate_series(0, 1) i;
insert into vcontract.vocabulary (tenant, about, name, detail, vcons)
select 'plans', 'role', 'Judge', '', 3
union all select 'plans', 'role', 'agent', '', 11997
union all select tenant, 'value', 'batch', (n % 3000)::text, 4 from made where n <= 3000
union all select 'plans', 'party', 'ann ' || md5(n::text), 'Ann', 4 from generate_series(1, 3000) n;
insert into vcontract.transcript (
    tenant, vcon, harness, session, sidechain, project, cwd, summary, source_path, source_size, source_mtime_ns,
    imported_bytes, imported_hash, archive_path, archive_size, archive_hash, lines, exchanges, malformed, redactions,
    started_at, ended_at, imported_at, given
)
select tenant, pg_temp.uid('vcon', n), 'claude-code', n::text, false, 'project ' || n % 5, '/home/p' || n % 5, '', n::text,
    1, 1, 1, '', n::text, 1, '', 20, 10, 0, 0, now(), now(), now(), '{}'
from made where n <= 600;
insert into vcontract.transcript_exchange (
    tenant, vcon, number, id, line_start, line_end, dialog_from, dialog_to, started_at, ended_at, sidechain
)
select tenant, pg_temp.uid('vcon', n), x, pg_temp.uid('exchange', n * 10 + x), 2 * x, 2 * x + 1, 0, 2,
    '2025-01-01Z'::timestamptz + n * interval '1 hour' + x * interval '1 minute', now(), false
from made, generate_series(0, 9) x where n <= 600;
insert into vcontract.transcript_file (tenant, vcon, exchange, path, relative_path, operation, edits)
select tenant, pg_temp.uid('vcon', n), x, '/home/p' || n % 5 || '/src/' || md5((n / 5)::text) || f || '.py',
    'src/' || md5((n / 5)::text) || f || '.py', 'edit', 1
from made, generate_series(0, 9) x, generate_series(0, 1) f where n <= 600;
insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
select x.tenant, 'exchange', x.id, x.started_at, 'common:1B'::tsvector from vcontract.transcript_exchange x;
insert into vcontract.project (tenant, id, root, name, name_folded, seen_at)
select 'plans', pg_temp.uid('project', n), '/home/p' || n, 'project ' || n, 'project ' || n, now()
from generate_series(0, 4) n;
insert into vcontract.reflection (tenant, id, project, content, digest, tags, redactions, stored_at)
select tenant, pg_temp.uid('reflection', n), pg_temp.uid('project', n % 5), 'common', '', '{}', 0, now() from made
where n <= 3000;
insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
select r.tenant, 'reflection', r.id, r.stored_at, 'common:1B'::tsvector from vcontract.reflection r;
insert into vcontract.bridge_record (
    tenant, id, uid, type, experiencer, experiencer_folded, created, content, content_type, perspective, processing
)
select tenant, 'src_' || lpad(n::text, 26, '0'), pg_temp.uid('source', n), 'source', 'Ann', 'ann',
    '2025-01-01Z'::timestamptz + n * interval '1 hour', 'common', 'text', 'I', 'during'
from made where n <= 6000;
insert into vcontract.bridge_record (
    tenant, id, uid, type, experiencer, experiencer_folded, created, emoji, summary, shot, reviewed, auto_generated
)
select tenant, 'mom_' || lpad(n::text, 26, '0'), pg_temp.uid('moment', n), 'moment', 'Ann', 'ann',
    '2025-01-01Z'::timestamptz + n * interval '1 hour', '', 'common', 'sustained-attention', true, false
from made where n <= 600;
insert into vcontract.bridge_link (tenant, holder, position, kind, member)
select tenant, 'mom_' || lpad(n::text, 26, '0'), 0, 'frames', 'src_' || lpad(n::text, 26, '0') from made where n <= 600;
insert into vcontract.bridge_quality (tenant, moment_id, position, type, manifestation)
select tenant, 'mom_' || lpad(n::text, 26, '0'), 0, 'spatial', 'wide' from made where n <= 600;
insert into vcontract.search_document (tenant, kind, id, occurred_at, words)
select r.tenant, 'bridge_' || r.type, r.uid, r.created, 'common:1B'::tsvector from vcontract.bridge_record r;
set session_replication_role = origin;
analyze;
-- of all their rows, so that no chance decides what the planner thinks of a text that few have
set default_statistics_target = 2000;
analyze vcontract.party, vcontract.dealer;
