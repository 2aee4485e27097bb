-- Whether each dialog of a vCon is a turn with its own number: all have text, and are in order of time. A page of hits need not
-- read the passages of their conversations to know.
alter table vcontract.search_document add column is_numbered boolean;
update vcontract.search_document d set is_numbered = v.is_numbered
from (
    select v.tenant, v.uuid,
        count(distinct p.element) = v.dialogs and coalesce(bool_and(coalesce(p.at >= p.latest, true)), true) as is_numbered
    from vcontract.vcon v
    left join (
        select tenant, id, element, occurred_at as at,
            max(occurred_at) over (partition by tenant, id order by element, chunk) as latest
        from vcontract.passage where kind = 'vcon' and part = 'dialog'
    ) p on p.tenant = v.tenant and p.id = v.uuid
    group by v.tenant, v.uuid
) v
where v.tenant = d.tenant and d.kind = 'vcon' and d.id = v.uuid;
-- Every row was written anew: without this a search reads what came to its index one by one.
select gin_clean_pending_list('vcontract.search_document_words'::regclass);
