-- Note what vCons count as: $3 is 1 for those that came, -1 for those that go or are about to change.
insert into vcontract.vocabulary_change (tenant, about, name, detail, difference)
select $1, w.about, w.name, w.detail, $3::integer * w.vcons
from vcontract.vocabulary_of($1, $2::uuid[]) w
where w.vcons > 0
