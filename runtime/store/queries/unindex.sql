-- Take things of one kind out of the index.
with passages as (
    delete from vcontract.passage where tenant = :tenant and kind = :kind and id = any(:ids)
), embeddings as (
    delete from vcontract.embedding where tenant = :tenant and kind = :kind and id = any(:ids)
), tasks as (
    delete from vcontract.embedding_task where tenant = :tenant and kind = :kind and id = any(:ids)
)
delete from vcontract.search_document where tenant = :tenant and kind = :kind and id = any(:ids)
