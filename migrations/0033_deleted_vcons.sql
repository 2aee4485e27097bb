-- vCons that were deleted: an import of the same files does not bring them back. Nothing of what was said is kept.
create table vcontract.vcon_tombstone (
    tenant text not null,
    uuid uuid not null,
    deleted_at timestamptz not null,
    primary key (tenant, uuid)
);

select vcontract.bind_to_tenant('vcon_tombstone');
