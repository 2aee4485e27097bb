-- Remove every row derived from vCons; the vCons themselves stay. The texts that spellings were made of are given.
with parties as (
    delete from vcontract.party where tenant = :tenant and vcon = any(:vcons)
), dialogs as (
    delete from vcontract.dialog where tenant = :tenant and vcon = any(:vcons)
), analyses as (
    delete from vcontract.analysis where tenant = :tenant and vcon = any(:vcons)
), attachments as (
    delete from vcontract.attachment where tenant = :tenant and vcon = any(:vcons)
), tags as (
    delete from vcontract.tag where tenant = :tenant and vcon = any(:vcons)
), dealers as (
    delete from vcontract.dealer where tenant = :tenant and vcon = any(:vcons)
), turns as (
    delete from vcontract.turn where tenant = :tenant and vcon = any(:vcons)
), passages as (
    delete from vcontract.passage where tenant = :tenant and kind = 'vcon' and id = any(:vcons)
    returning part, content
), embeddings as (
    delete from vcontract.embedding where tenant = :tenant and kind = 'vcon' and id = any(:vcons)
), tasks as (
    delete from vcontract.embedding_task where tenant = :tenant and kind = 'vcon' and id = any(:vcons)
), documents as (
    delete from vcontract.search_document where tenant = :tenant and kind = 'vcon' and id = any(:vcons)
)
select content from passages where part <> 'trace_body'
