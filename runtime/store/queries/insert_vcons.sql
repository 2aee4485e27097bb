-- Insert vCons with every row derived from them: all of a vCon or nothing of it; the uuids that came in are
-- returned. A uuid that is there already is left alone. Rows of elements name their vCon by uuid.
with inserted as (
    {vcon.insert}
    on conflict (tenant, uuid) do nothing
    returning uuid
), documents as (
    {search_document.insert} where r.id in (select uuid from inserted)
), parties as (
    {party.insert} where r.vcon in (select uuid from inserted)
), dialogs as (
    {dialog.insert} where r.vcon in (select uuid from inserted)
), analyses as (
    {analysis.insert} where r.vcon in (select uuid from inserted)
), attachments as (
    {attachment.insert} where r.vcon in (select uuid from inserted)
), tags as (
    {tag.insert} where r.vcon in (select uuid from inserted)
), dealers as (
    {dealer.insert} where r.vcon in (select uuid from inserted)
), turns as (
    {turn.insert} where r.vcon in (select uuid from inserted)
), passages as (
    {passage.insert} where r.id in (select uuid from inserted)
), tasks as (
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select :tenant, 'vcon', r.vcon, s.id, count(*), now()
    from unnest(:passage_id::uuid[], :passage_part::text[]) as r (vcon, part)
    cross join vcontract.embedding_space s
    where vcontract.is_embedded(r.part) and s.state <> 'retired' and r.vcon in (select uuid from inserted)
    group by r.vcon, s.id
    on conflict (tenant, kind, id, space) do update set
        passages = excluded.passages, due_at = excluded.due_at, claim = null, attempts = 0
)
select uuid from inserted
