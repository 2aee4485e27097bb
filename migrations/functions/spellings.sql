-- Spellings: the words that a misspelled one may be corrected to, each with a vCon that has it.

-- Words of a vCon are gone. A spelling that was kept for it is kept for another vCon that has the word, or removed where none
-- has; `stems` are what the words are indexed under. Call it last in a transaction: from here to their ends those of a tenant
-- wait for one another, so that of two which remove the last two holders of a word the second sees the first one gone. A
-- vCon that is stored at the same moment may miss a correction.
create or replace function vcontract.forget_spellings(of_vcon uuid, words text[], stems text[]) returns void
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp
    set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
#variable_conflict use_column
declare
    of_tenant constant text := vcontract.current_tenant();
    words_left text[];
    stems_left text[];
begin
    perform pg_advisory_xact_lock(hashtext('vcontract.spelling'), hashtext(of_tenant));
    select array_agg(w.word), array_agg(w.stem) into words_left, stems_left
    from unnest(words, stems) w (word, stem)
    join vcontract.spelling s on s.tenant = of_tenant and s.word = w.word
    where s.vcon is null or s.vcon = of_vcon;
    if words_left is null then
        return;
    end if;
    -- Common words are in one of the newest vCons: an index would give every vCon that has them. A few are rarely common.
    with recent as materialized (
        select d.id, tsvector_to_array(d.words) as stems from vcontract.search_document d
        where d.tenant = of_tenant and d.kind = 'vcon' order by d.occurred_at desc, d.id desc
        limit case when cardinality(words_left) > 10 then 50 else 0 end
    ), held as materialized (
        select distinct on (h.stem) h.stem, r.id from recent r cross join unnest(r.stems) h (stem)
        where h.stem = any(stems_left)
    ), left_over as materialized (
        select w.word, coalesce(h.id, (
            -- the newest, which is deleted last where old ones are
            select d.id
            from (
                select d.id, d.occurred_at from vcontract.search_document d
                where d.tenant = of_tenant and d.kind = 'vcon' and d.words @@ quote_literal(w.stem)::tsquery
                offset 0
            ) d
            order by d.occurred_at desc limit 1
        )) as vcon
        from unnest(words_left, stems_left) w (word, stem) left join held h on h.stem = w.stem
    ), gone as (
        delete from vcontract.spelling s using left_over l
        where l.vcon is null and s.tenant = of_tenant and s.word = l.word
    )
    update vcontract.spelling s set vcon = l.vcon from left_over l
    where l.vcon is not null and s.tenant = of_tenant and s.word = l.word;
end
$$;
