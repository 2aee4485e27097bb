-- Exchanges as text, a turn at most :most_of_turn characters, with the prompts before and after, at most
-- :most_of_prompt.
select x.id, x.vcon, x.line_start, x.line_end, t.project, t.archive_path, (
    select string_agg(
        case when coalesce(d.doc ->> 'originator', d.doc -> 'parties' ->> 0) = '0' then 'User: ' else 'Assistant: ' end
        || left(d.doc ->> 'body', :most_of_turn), E'\n' order by d.index)
    from vcontract.dialog d where d.tenant = x.tenant and d.vcon = x.vcon
    and d.index >= x.dialog_from and d.index < x.dialog_to and d.doc ->> 'body' is not null
) as text, (
    select left(d.doc ->> 'body', :most_of_prompt) from vcontract.transcript_exchange n
    join vcontract.dialog d on d.tenant = n.tenant and d.vcon = n.vcon
    and d.index >= n.dialog_from and d.index < n.dialog_to
    where n.tenant = x.tenant and n.vcon = x.vcon and n.number = x.number - 1
    and coalesce(d.doc ->> 'originator', d.doc -> 'parties' ->> 0) = '0' order by d.index limit 1
) as before, (
    select left(d.doc ->> 'body', :most_of_prompt) from vcontract.transcript_exchange n
    join vcontract.dialog d on d.tenant = n.tenant and d.vcon = n.vcon
    and d.index >= n.dialog_from and d.index < n.dialog_to
    where n.tenant = x.tenant and n.vcon = x.vcon and n.number = x.number + 1
    and coalesce(d.doc ->> 'originator', d.doc -> 'parties' ->> 0) = '0' order by d.index limit 1
) as after
from vcontract.transcript_exchange x join vcontract.transcript t on t.tenant = x.tenant and t.vcon = x.vcon
where x.tenant = :tenant and x.id = any(:ids)
