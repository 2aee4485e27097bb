-- Words are found in more forms than before: letters that keyboards replace (ł, ø, đ, Persian ی and ک), digits of
-- other scripts, words joined without width, İ, and words before the apostrophe of a suffix. What is stored is indexed
-- again in the background, as far as it has such words.
create table vcontract.word_task (
    tenant text not null,
    kind text not null,
    id uuid not null,
    primary key (tenant, kind, id)
);
select vcontract.bind_to_tenant('word_task');
insert into vcontract.word_task (tenant, kind, id)
select distinct p.tenant, p.kind, p.id from vcontract.passage p
where p.content ~ '[^\x01-\x7f]' and (
        p.content ~* '[łøđðħŧıŋɨʉƶƀɓɗɡґқңүұһæœþŉĸیىېےکڪہھەۀةİ\u0640\u200c\u200d\u02bb\u02bc\u02b9\u0300-\u036f]'
        or p.content ~ '[٠-٩۰-۹०-९০-৯]'
        or (p.content ~ 'I' and p.words @@ '''lang:tr''')
    )
    or p.content ~* '[[:alpha:]]{3}[''’](?!(s|t|ll|d|ve|re|m)\M)[[:alpha:]]';

-- Names and titles are compared in the same forms.
update vcontract.party set name_folded = vcontract.without_variants(name_folded)
where name_folded <> vcontract.without_variants(name_folded);
update vcontract.dealer set name_folded = vcontract.without_variants(name_folded)
where name_folded <> vcontract.without_variants(name_folded);
update vcontract.vcon set subject_folded = vcontract.without_variants(subject_folded)
where subject_folded <> vcontract.without_variants(subject_folded);
update vcontract.alias set name_folded = vcontract.without_variants(name_folded)
where name_folded <> vcontract.without_variants(name_folded) and not exists (
    select from vcontract.alias a where a.tenant = alias.tenant
        and a.name_folded = vcontract.without_variants(alias.name_folded)
        and a.email_folded = alias.email_folded and a.tel_digits = alias.tel_digits
);
insert into vcontract.spelling (tenant, word, vcon)
select s.tenant, vcontract.without_variants(s.word), s.vcon from vcontract.spelling s
where s.word <> vcontract.without_variants(s.word)
on conflict do nothing;
delete from vcontract.spelling where word <> vcontract.without_variants(word);
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select v.tenant, v.about, c.name, v.detail, c.difference from vcontract.vocabulary v
cross join lateral (values (v.name, -v.vcons), (vcontract.without_variants(v.name), v.vcons)) c (name, difference)
where v.about = 'party' and v.name <> vcontract.without_variants(v.name);
