-- An index finds the passages that hold a word, and a passage of a text dialog names the party who says it.
alter table vcontract.passage add column speaker integer;
update vcontract.passage p set speaker = s.speaker::integer
from vcontract.dialog d
cross join lateral (
    select coalesce(d.doc ->> 'originator', case json_typeof(d.doc -> 'parties')
        when 'array' then d.doc -> 'parties' ->> 0 else d.doc ->> 'parties' end) as speaker
) s
where d.tenant = p.tenant and d.vcon = p.id and d.index = p.element and d.type = 'text'
    and p.kind = 'vcon' and p.part = 'dialog' and s.speaker ~ '^\d{1,9}$';
create index passage_words on vcontract.passage using gin (tenant, kind, words);
