-- In how many vCons a party's name is counts among the vocabulary: about party, by the folded name (detail: as it is written).
lock table vcontract.vcon in share row exclusive mode;
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select p.tenant, 'party', p.name, p.written, count(*)
from (
    select tenant, left(name_folded, 255) as name, min(left(doc ->> 'name', 255) collate "C") as written
    from vcontract.party
    where name_folded <> ''
    group by tenant, vcon, 2
) p
group by p.tenant, p.name, p.written;
