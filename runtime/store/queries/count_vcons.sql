-- Note what vCons count as: :sign is 1 for those that came, -1 for those that go or are about to change.
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select :tenant, w.about, w.name, w.detail, :sign::integer * w.vcons
from vcontract.vocabulary_of(:tenant, :vcons::uuid[]) w
where w.vcons > 0
