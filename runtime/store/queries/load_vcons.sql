-- Whole vCons, the newest first. :wanted names the component arrays that are wanted; attachments come along whenever
-- tags may have to be written into them. json_agg keeps the text of every element as it is.
select
    {vcon.read}, t.signed_form is not null as signed, t.parties, t.dialogs, t.analyses, t.attachments,
    case when t.parties > 0 and 'parties' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.party e where e.tenant = :tenant and e.vcon = t.uuid
    ) end as party_docs,
    case when t.dialogs > 0 and 'dialog' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.dialog e where e.tenant = :tenant and e.vcon = t.uuid
    ) end as dialog_docs,
    case when t.analyses > 0 and 'analysis' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.analysis e where e.tenant = :tenant and e.vcon = t.uuid
    ) end as analysis_docs,
    case when t.attachments > 0 and ('attachments' = any(:wanted) or t.tag_carriers = 'top_level') then (
        select json_agg(doc order by index) from vcontract.attachment e where e.tenant = :tenant and e.vcon = t.uuid
    ) end as attachment_docs,
    case when 'summary' = any(:wanted) and t.analyses > 0 then (
        select json_agg(json_build_object('index', index, 'doc', doc) order by index)
        from vcontract.analysis e where e.tenant = :tenant and e.vcon = t.uuid and lower(e.type) = 'summary'
    ) end as summary_docs,
    (
        select json_agg(json_build_array(key, value, type) order by key collate "C")
        from vcontract.tag e where e.tenant = :tenant and e.vcon = t.uuid
    ) as tags,
    case when 'dealer' = any(:wanted) then (
        select doc from vcontract.dealer d where d.tenant = :tenant and d.vcon = t.uuid
    ) end as dealer,
    'version' = any(:wanted) and exists (select from vcontract.amended_versions(t.uuid)) as is_older
from vcontract.vcon t
where t.tenant = :tenant and t.uuid = any(:uuids)
order by t.began_at desc, t.uuid desc
