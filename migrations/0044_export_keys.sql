-- What exports of one conversation share, such as message IDs: a new export finds the stored ones by it.
create index attachment_export_keys on vcontract.attachment
    using gin (tenant, ((doc #> '{meta,conversation_export,keys}')::jsonb))
    where purpose = 'tags' and doc #> '{meta,conversation_export,keys}' is not null;
