-- Remove every row derived from vCons; the vCons themselves stay.
with parties as (
    delete from vcontract.party where tenant = $1 and vcon = any($2)
), dialogs as (
    delete from vcontract.dialog where tenant = $1 and vcon = any($2)
), analyses as (
    delete from vcontract.analysis where tenant = $1 and vcon = any($2)
), attachments as (
    delete from vcontract.attachment where tenant = $1 and vcon = any($2)
), tags as (
    delete from vcontract.tag where tenant = $1 and vcon = any($2)
), dealers as (
    delete from vcontract.dealer where tenant = $1 and vcon = any($2)
), passages as (
    delete from vcontract.passage where tenant = $1 and kind = 'vcon' and id = any($2)
), embeddings as (
    delete from vcontract.embedding where tenant = $1 and kind = 'vcon' and id = any($2)
), tasks as (
    delete from vcontract.embedding_task where tenant = $1 and kind = 'vcon' and id = any($2)
)
delete from vcontract.search_document where tenant = $1 and kind = 'vcon' and id = any($2)
