-- Until when each party of a vCon consents to a purpose, as its attachments say: -infinity where it does not, and
-- infinity where no end is told; purpose * is any, party -1 one that is not named. Triggers keep it, no program writes it.
create table vcontract.consent (
    tenant text not null,
    vcon uuid not null,
    party integer not null,
    purpose text not null,
    until timestamptz not null,
    primary key (tenant, vcon, purpose, party),
    foreign key (tenant, vcon) references vcontract.vcon (tenant, uuid) on delete cascade
);
create index consent_purpose on vcontract.consent (tenant, purpose, until);

select vcontract.bind_to_tenant('consent');
revoke insert, update, delete on vcontract.consent from vcontract_server;

create trigger consent_said after insert on vcontract.attachment for each row
    when (lower(new.purpose) in ('consent', 'lawful_basis')) execute function vcontract.note_consent();
create trigger consent_changed after update on vcontract.attachment for each row
    when (lower(new.purpose) in ('consent', 'lawful_basis') or lower(old.purpose) in ('consent', 'lawful_basis'))
    execute function vcontract.note_consent();
create trigger consent_removed after delete on vcontract.attachment for each row
    when (lower(old.purpose) in ('consent', 'lawful_basis')) execute function vcontract.note_consent();

insert into vcontract.consent (tenant, vcon, party, purpose, until)
select a.tenant, a.vcon, s.party, coalesce(s.purpose, '*'), min(case when s.purpose is null then '-infinity' else s.until end)
from vcontract.attachment a cross join vcontract.consents_in(a.doc) s
where lower(a.purpose) in ('consent', 'lawful_basis')
group by a.tenant, a.vcon, s.party, coalesce(s.purpose, '*');

select vcontract.bind_to_consent('uuid', 'vcon');
select vcontract.bind_to_consent(
    'vcon', 'party', 'dialog', 'analysis', 'attachment', 'tag', 'dealer', 'hold', 'transcript', 'transcript_exchange',
    'transcript_file', 'transcript_record', 'consent', 'audit'
);
select vcontract.bind_to_consent('id', 'search_document', 'passage', 'embedding', 'embedding_task');

-- An answer that is read on later shows what was answered for the purposes of then.
alter table vcontract.result_cache add column purposes text not null default coalesce(vcontract.current_purposes(), '');
create policy same_purposes on vcontract.result_cache as restrictive
    using (purposes = coalesce(vcontract.current_purposes(), '')) with check (true);

-- What changed in the counts of the vocabulary, and what is to be taken from them for the session's purposes.
create view vcontract.counted_change with (security_invoker = true) as
select c.tenant, c.about, c.name, c.detail, c.difference from vcontract.vocabulary_change c
union all
select vcontract.current_tenant(), w.about, w.name, w.detail, -w.vcons from vcontract.vocabulary_without_consent() w;
grant select on vcontract.counted_change to vcontract_server;
