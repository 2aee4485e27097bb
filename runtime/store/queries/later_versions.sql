-- The newest two of those that amend :uuid and are not among :seen. Versions of one conversation often share created_at.
select uuid, created_at, vcontract.amended_from(head)::text as amended, vcontract.redacted_from(head)::text as redacted
from vcontract.vcon
where tenant = :tenant and uuid = any(array(select vcontract.amended_versions(:uuid))) and uuid <> all(:seen)
order by created_at desc, stored_at desc, uuid desc
limit 2
