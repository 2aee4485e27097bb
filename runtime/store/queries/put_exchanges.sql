-- Give a transcript exactly these exchanges, and each what it is found by; those that stayed the same keep their
-- rows.
with given as (
    select * from unnest(
        $3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::integer[],
        $9::timestamptz[], $10::timestamptz[], $11::boolean[], $12::bytea[], $13::tsvector[]
    ) as g (
        id, number, line_start, line_end, dialog_from, dialog_to, started_at, ended_at, sidechain, digest, words
    )
), gone as (
    delete from vcontract.transcript_exchange
    where tenant = $1 and vcon = $2 and number not in (select number from given)
    returning id
), gone_documents as (
    delete from vcontract.search_document
    where tenant = $1 and kind = 'exchange' and id in (select id from gone)
), exchanges as (
    insert into vcontract.transcript_exchange as t (
        tenant, vcon, number, id, line_start, line_end, dialog_from, dialog_to, started_at, ended_at, sidechain, digest
    )
    select
        $1, $2, number, id, line_start, line_end, dialog_from, dialog_to, started_at, ended_at, sidechain, digest
    from given
    on conflict (tenant, vcon, number) do update set
        line_start = excluded.line_start, line_end = excluded.line_end, dialog_from = excluded.dialog_from,
        dialog_to = excluded.dialog_to, started_at = excluded.started_at, ended_at = excluded.ended_at,
        sidechain = excluded.sidechain, digest = excluded.digest
    where (t.line_start, t.line_end, t.dialog_from, t.dialog_to, t.started_at, t.ended_at, t.sidechain, t.digest)
        is distinct from (excluded.line_start, excluded.line_end, excluded.dialog_from, excluded.dialog_to,
            excluded.started_at, excluded.ended_at, excluded.sidechain, excluded.digest)
)
insert into vcontract.search_document as d (tenant, kind, id, occurred_at, words)
select $1, 'exchange', id, started_at, words from given
on conflict (tenant, kind, id) do update set occurred_at = excluded.occurred_at, words = excluded.words
where d.words <> excluded.words or d.occurred_at <> excluded.occurred_at
