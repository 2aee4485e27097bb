-- A vCon under legal hold neither changes nor goes. Programs refuse that with a reason; a row here keeps the vCon in any case.
create table vcontract.hold (
    tenant text not null,
    vcon uuid not null,
    reason text not null,
    held_by text not null,
    held_at timestamptz not null,
    primary key (tenant, vcon),
    foreign key (tenant, vcon) references vcontract.vcon (tenant, uuid)
);

select vcontract.bind_to_tenant('hold');
