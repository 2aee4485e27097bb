-- Spaces of vectors, and the tasks that fill them.
--
-- The spaces belong to the deployment and the tasks of all tenants to one worker, so these functions run with
-- their owner's rights. They give out names of tenants and ids, never anything that a tenant stored.

-- Whether passages of a part get vectors: not those of parties, nor what an agent's tools were given and gave back.
create or replace function vcontract.is_embedded(part text) returns boolean
    language sql immutable parallel safe
    return part not in ('party', 'trace_body');

-- The table and the index of a space.
create or replace function vcontract.make_embedding_partition(space integer, dimension integer) returns void
    language plpgsql set search_path = pg_catalog, public, pg_temp set lock_timeout = '10s'
as $$
begin
    execute format('create table vcontract.embedding_%s partition of vcontract.embedding for values in (%s)',
        space, space);
    execute format('create index embedding_%s_near on vcontract.embedding_%s'
        ' using hnsw ((vector::halfvec(%s)) halfvec_ip_ops) with (m = 16, ef_construction = 128)',
        space, space, dimension);
end
$$;

-- The id of a model's space, which is begun when there is none; what else was being built is given up.
create or replace function vcontract.open_embedding_space(
    of_model text, of_dimension integer, of_recipe json, of_calibration double precision[]
) returns integer
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
    number integer;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.id into number from vcontract.embedding_space s where s.model = of_model and s.state <> 'retired';
    if found then
        update vcontract.embedding_space s set recipe = of_recipe, calibration = of_calibration
        where s.id = number
            and (s.recipe::text, s.calibration) is distinct from (of_recipe::text, of_calibration);
        return number;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'building';
    select coalesce(max(s.id), 0) + 1 into number from vcontract.embedding_space s;
    perform vcontract.make_embedding_partition(number, of_dimension);
    insert into vcontract.embedding_space (id, model, dimension, state, recipe, calibration, filled)
    values (number, of_model, of_dimension, 'building', of_recipe, of_calibration, false);
    return number;
end
$$;

-- Wait for every transaction that stores passages now; then each later one knows the spaces there are.
create or replace function vcontract.await_passage_writers() returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
begin
    lock table vcontract.search_document in share mode;
end
$$;

-- Make tasks of everything stored that has no vectors in a space.
create or replace function vcontract.fill_embedding_space(of_space integer) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp set statement_timeout = 0
as $$
begin
    insert into vcontract.embedding_task (tenant, kind, id, space, passages, due_at)
    select p.tenant, p.kind, p.id, of_space, count(*), now()
    from vcontract.passage p
    where vcontract.is_embedded(p.part) and not exists (
        select from vcontract.embedding e
        where e.space = of_space and e.tenant = p.tenant and e.kind = p.kind and e.id = p.id
            and e.part = p.part and e.element = p.element and e.chunk = p.chunk
    )
    group by p.tenant, p.kind, p.id
    on conflict (tenant, kind, id, space) do nothing;
    update vcontract.embedding_space s set filled = true where s.id = of_space;
end
$$;

-- Put a space in the place of the active one when it is complete, but for tasks that have failed three times,
-- or when the active one holds nothing. Whether it is active now.
create or replace function vcontract.activate_embedding_space(of_space integer) returns boolean
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
    complete boolean;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    select s.state = 'active' into complete from vcontract.embedding_space s where s.id = of_space;
    if complete is distinct from false then
        return coalesce(complete, false);
    end if;
    select s.filled and not exists (
        select from vcontract.embedding_task t where t.space = of_space and t.attempts < 3
    ) or not exists (
        select from vcontract.embedding e
        where e.space = (select a.id from vcontract.embedding_space a where a.state = 'active')
    ) into complete
    from vcontract.embedding_space s where s.id = of_space and s.state = 'building';
    if not coalesce(complete, false) then
        return false;
    end if;
    update vcontract.embedding_space s set state = 'retired', changed_at = now() where s.state = 'active';
    update vcontract.embedding_space s set state = 'active', changed_at = now() where s.id = of_space;
    return true;
end
$$;

-- Remove spaces that nothing has searched for a while; how many.
create or replace function vcontract.drop_retired_embedding_spaces(retired_for interval) returns integer
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '10s'
as $$
declare
    number integer;
    dropped integer := 0;
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.embedding_space'));
    for number in
        select s.id from vcontract.embedding_space s
        where s.state = 'retired' and s.changed_at <= now() - retired_for
    loop
        execute format('drop table vcontract.embedding_%s', number);
        delete from vcontract.embedding_task t where t.space = number;
        delete from vcontract.embedding_space s where s.id = number;
        dropped := dropped + 1;
    end loop;
    return dropped;
end
$$;

-- Take the tasks of one tenant that are due longest, about most_passages passages together, for as long as embedding
-- them should take, of a long thing the part that is embedded at once. Others pass over them until then.
create or replace function vcontract.claim_embedding_tasks(
    of_space integer, of_tenant text, by_claim uuid, most_passages integer, most_tasks integer
) returns table (tenant text, kind text, id uuid)
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
#variable_conflict use_column
declare
    chosen text := of_tenant;
begin
    if chosen is null then
        select t.tenant into chosen from vcontract.embedding_task t
        where t.space = of_space and t.due_at <= now() order by t.due_at limit 1;
    end if;
    return query
    with due as materialized (
        select t.kind, t.id, t.passages, t.due_at from vcontract.embedding_task t
        where t.space = of_space and t.tenant = chosen and t.due_at <= now()
        order by t.due_at limit most_tasks
        for update skip locked
    ), taken as (
        select d.kind, d.id, sum(d.passages) over (order by d.due_at, d.kind, d.id) - d.passages as before
        from due d
    )
    update vcontract.embedding_task t
    set claim = by_claim, due_at = clock_timestamp() + make_interval(secs => 60 + least(t.passages, 256))
    from taken x
    where t.space = of_space and t.tenant = chosen and t.kind = x.kind and t.id = x.id and x.before < most_passages
    returning t.tenant, t.kind, t.id;
end
$$;
