-- Search by meaning: a vector for nearly every passage, in the space of a model.

create extension if not exists vector with schema public;

-- A model with its settings. Vectors of different spaces are never compared. One space is active and
-- searched; a new one is built beside it and takes its place when it is complete. Belongs to no tenant.
create table vcontract.embedding_space (
    id integer primary key,
    model text not null,
    dimension integer not null check (dimension between 1 and 4000),
    state text not null check (state in ('building', 'active', 'retired')),
    -- The provider and its settings, without secrets: a query is embedded in the same way.
    recipe json not null,
    -- The cosines that mean a similarity of 0.2, 0.5 and 0.8; null when they are not known.
    calibration double precision[] check (cardinality(calibration) = 3),
    -- Whether everything that was stored before the space has become its task.
    filled boolean not null,
    changed_at timestamptz not null default now()
);
create unique index embedding_space_active on vcontract.embedding_space (state) where state = 'active';
create unique index embedding_space_model on vcontract.embedding_space (model) where state <> 'retired';

-- Unit vectors, each space in a partition with an index of its own, so that it is dropped in a moment.
-- Dimensions differ between spaces, so the column has none; the indexes have it.
create table vcontract.embedding (
    tenant text not null,
    kind text not null,
    id uuid not null,
    part text not null,
    element integer not null,
    chunk integer not null,
    space integer not null,
    vector halfvec not null,
    -- A digest of the texts behind it: its speaker and its neighbours may change later. Null where they cannot.
    made_of bigint,
    primary key (tenant, kind, id, part, element, chunk, space)
) partition by list (space);

-- What waits to be embedded: the passages of one thing. A task disappears in the transaction that stores its
-- vectors, and comes back whenever the thing changes; passages counts those that have no vector. due_at is when it
-- may be taken: later than now while a worker has it, and after failures. claim tells whose it is.
create table vcontract.embedding_task (
    tenant text not null,
    kind text not null,
    id uuid not null,
    space integer not null,
    passages integer not null,
    due_at timestamptz not null,
    claim uuid,
    attempts integer not null default 0,
    primary key (tenant, kind, id, space)
);
create index embedding_task_due on vcontract.embedding_task (space, due_at);

select vcontract.bind_to_tenant('embedding', 'embedding_task');
grant select on vcontract.embedding_space to vcontract_server;

-- The space of the model that comes with the program.
create table vcontract.embedding_1 partition of vcontract.embedding for values in (1);
create index embedding_1_near on vcontract.embedding_1
    using hnsw ((vector::halfvec(384)) halfvec_ip_ops) with (m = 16, ef_construction = 64);
insert into vcontract.embedding_space (id, model, dimension, state, recipe, calibration, filled)
values (
    1, 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256', 384, 'active', '{"provider":"minilm"}',
    '{0.071,0.344,0.413}', true
);
