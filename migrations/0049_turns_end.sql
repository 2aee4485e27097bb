-- Where a conversation's last turn or recording ends, in seconds from its start, so that what was said in its last seconds
-- is found without reading every turn of every conversation.
alter table vcontract.search_document add column turns_end double precision;
update vcontract.search_document d set turns_end = t.ends
from (select tenant, vcon, max(ends) as ends from vcontract.turn where ends is not null group by tenant, vcon) t
where d.tenant = t.tenant and d.kind = 'vcon' and d.id = t.vcon;
-- left pending, entries of the index would have to be searched one by one
select gin_clean_pending_list('vcontract.search_document_words'::regclass);
drop function if exists vcontract.said_unknown_condition(jsonb, text);
drop function if exists vcontract.said_condition(jsonb, text);
drop function if exists vcontract.said_in_turn(jsonb, text, text, boolean);
