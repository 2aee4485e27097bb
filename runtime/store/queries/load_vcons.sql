-- Whole vCons, the newest first. $3 names the component arrays that are wanted; attachments come along
-- whenever tags may have to be written into them. json_agg keeps the text of every element as it is.
select
    v.uuid, v.created_at, v.stored_at, v.updated_at, v.spec_version, v.head, v.metadata, v.conformance,
    v.signed_form is not null as signed, v.tag_carriers, v.parties, v.dialogs, v.analyses, v.attachments,
    case when v.parties > 0 and 'parties' = any($3) then (
        select json_agg(doc order by index) from vcontract.party e where e.tenant = $1 and e.vcon = v.uuid
    ) end as party_docs,
    case when v.dialogs > 0 and 'dialog' = any($3) then (
        select json_agg(doc order by index) from vcontract.dialog e where e.tenant = $1 and e.vcon = v.uuid
    ) end as dialog_docs,
    case when v.analyses > 0 and 'analysis' = any($3) then (
        select json_agg(doc order by index) from vcontract.analysis e where e.tenant = $1 and e.vcon = v.uuid
    ) end as analysis_docs,
    case when v.attachments > 0 and ('attachments' = any($3) or v.tag_carriers = 'top_level') then (
        select json_agg(doc order by index) from vcontract.attachment e where e.tenant = $1 and e.vcon = v.uuid
    ) end as attachment_docs,
    case when 'summary' = any($3) and v.analyses > 0 then (
        select json_agg(json_build_object('index', index, 'doc', doc) order by index)
        from vcontract.analysis e where e.tenant = $1 and e.vcon = v.uuid and lower(e.type) = 'summary'
    ) end as summary_docs,
    (
        select json_agg(json_build_array(key, value, type) order by key collate "C")
        from vcontract.tag t where t.tenant = $1 and t.vcon = v.uuid
    ) as tags,
    case when 'dealer' = any($3) then (
        select doc from vcontract.dealer d where d.tenant = $1 and d.vcon = v.uuid
    ) end as dealer
from vcontract.vcon v
where v.tenant = $1 and v.uuid = any($2)
order by v.created_at desc, v.uuid desc
