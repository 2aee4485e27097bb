-- Records of :type that hold some of :held and may be superseded: active, made by a model, not reviewed, and held by no
-- active reviewed scene.
select c.id from vcontract.bridge_record c
where c.tenant = :tenant and c.type = :type and c.reframed_by is null and c.auto_generated and not c.reviewed
    and c.id in (
        select l.holder from vcontract.bridge_link l where l.tenant = :tenant and l.member = any(:held)
    ) and (c.id in (
        select l.member from vcontract.bridge_link l
        join vcontract.bridge_record s on s.tenant = :tenant and s.id = l.holder
        where l.tenant = :tenant and l.kind = 'weaves' and s.reviewed and s.reframed_by is null
    )) is not true
order by c.id
