-- Spellings are withheld with the words of what is withheld.
create policy consented on vcontract.spelling as restrictive
    using ((select vcontract.nothing_withheld())) with check (true);

-- Consent as it is read now: more forms of it are understood, each as the more restrictive one.
delete from vcontract.consent;
insert into vcontract.consent (tenant, vcon, party, purpose, until)
select a.tenant, a.vcon, s.party, coalesce(s.purpose, '*'), min(case when s.purpose is null then '-infinity' else s.until end)
from vcontract.attachment a cross join vcontract.consents_in(a.doc) s
where vcontract.is_of_consent(a.purpose)
group by a.tenant, a.vcon, s.party, coalesce(s.purpose, '*');

-- A vCon that has the word, for which it is kept; null where none was noted yet.
alter table vcontract.spelling add column vcon uuid;
