-- Take things of one kind out of the index.
with passages as (
    delete from vcontract.passage where tenant = $1 and kind = $2 and id = any($3)
), embeddings as (
    delete from vcontract.embedding where tenant = $1 and kind = $2 and id = any($3)
), tasks as (
    delete from vcontract.embedding_task where tenant = $1 and kind = $2 and id = any($3)
)
delete from vcontract.search_document where tenant = $1 and kind = $2 and id = any($3)
