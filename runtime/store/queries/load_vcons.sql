-- Whole vCons, the newest first. :wanted names the component arrays that are wanted; attachments come along whenever
-- tags may have to be written into them. json_agg keeps the text of every element as it is.
select
    v.uuid, v.created_at, v.stored_at, v.updated_at, v.spec_version, v.head, v.metadata, v.conformance,
    v.signed_form is not null as signed, v.tag_carriers, v.parties, v.dialogs, v.analyses, v.attachments,
    case when v.parties > 0 and 'parties' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.party e where e.tenant = :tenant and e.vcon = v.uuid
    ) end as party_docs,
    case when v.dialogs > 0 and 'dialog' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.dialog e where e.tenant = :tenant and e.vcon = v.uuid
    ) end as dialog_docs,
    case when v.analyses > 0 and 'analysis' = any(:wanted) then (
        select json_agg(doc order by index) from vcontract.analysis e where e.tenant = :tenant and e.vcon = v.uuid
    ) end as analysis_docs,
    case when v.attachments > 0 and ('attachments' = any(:wanted) or v.tag_carriers = 'top_level') then (
        select json_agg(doc order by index) from vcontract.attachment e where e.tenant = :tenant and e.vcon = v.uuid
    ) end as attachment_docs,
    case when 'summary' = any(:wanted) and v.analyses > 0 then (
        select json_agg(json_build_object('index', index, 'doc', doc) order by index)
        from vcontract.analysis e where e.tenant = :tenant and e.vcon = v.uuid and lower(e.type) = 'summary'
    ) end as summary_docs,
    (
        select json_agg(json_build_array(key, value, type) order by key collate "C")
        from vcontract.tag t where t.tenant = :tenant and t.vcon = v.uuid
    ) as tags,
    case when 'dealer' = any(:wanted) then (
        select doc from vcontract.dealer d where d.tenant = :tenant and d.vcon = v.uuid
    ) end as dealer
from vcontract.vcon v
where v.tenant = :tenant and v.uuid = any(:uuids)
order by v.created_at desc, v.uuid desc
