-- Give a transcript exactly these exchanges, and each what it is found by; those that stayed the same keep their
-- rows.
with gone as (
    delete from vcontract.transcript_exchange
    where tenant = :tenant and vcon = :vcon
        and number not in (select unnest(:transcript_exchange_number::integer[]))
    returning id
), gone_documents as (
    delete from vcontract.search_document
    where tenant = :tenant and kind = 'exchange' and id in (select id from gone)
), exchanges as (
    {transcript_exchange.upsert}
)
{search_document.upsert}
