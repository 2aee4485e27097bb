-- Put a vCon in the place of the one with its uuid, which is locked: only rows that differ are written, so what
-- stayed keeps its rows, and those that are known to have stayed are not given. Passages are another statement's (revise_passages.sql).
with vcon as (
    update vcontract.vcon t set {vcon.changes} from {vcon.rows}
    where t.tenant = :tenant and t.uuid = :uuid
), document as (
    update vcontract.search_document t set {search_document.changes} from {search_document.rows}
    where t.tenant = :tenant and t.kind = 'vcon' and t.id = :uuid
), gone_parties as (
    delete from vcontract.party
    where tenant = :tenant and vcon = :uuid and index >= all(:vcon_parties::integer[])
), gone_dialogs as (
    delete from vcontract.dialog
    where tenant = :tenant and vcon = :uuid and index >= all(:vcon_dialogs::integer[])
), gone_analyses as (
    delete from vcontract.analysis
    where tenant = :tenant and vcon = :uuid and index >= all(:vcon_analyses::integer[])
), gone_attachments as (
    delete from vcontract.attachment
    where tenant = :tenant and vcon = :uuid and index >= all(:vcon_attachments::integer[])
), gone_tags as (
    delete from vcontract.tag where tenant = :tenant and vcon = :uuid and key <> all(:tag_key::text[])
), gone_dealer as (
    delete from vcontract.dealer where tenant = :tenant and vcon = :uuid and cardinality(:dealer_id::text[]) = 0
), gone_turns as (
    delete from vcontract.turn t
    where t.tenant = :tenant and t.vcon = :uuid and (:first_turn::integer = 0 or t.dialog >= :first_turn::integer)
        and not exists (
            select from unnest(:turn_dialog::integer[], :turn_number::integer[]) g (dialog, number)
            where g.dialog = t.dialog and g.number = t.number
        )
), turns as (
    {turn.upsert}
), parties as (
    {party.upsert}
), dialogs as (
    {dialog.upsert}
), analyses as (
    {analysis.upsert}
), attachments as (
    {attachment.upsert}
), dealers as (
    {dealer.upsert}
)
{tag.upsert}
