-- vCons from one source that share one of these keys with an export; the newest first.
select key, uuid from vcontract.sharing_export_keys(:keys, :source)
