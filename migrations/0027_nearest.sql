-- Each vector that is added chooses its neighbours among 128 candidates. With 64, of 540,000 vectors in clusters one of 25 to 80
-- that a search should have found was led to by no other, however widely the index was walked; with 128 none. What
-- is there already keeps its neighbours until the index is made anew.
do $$
declare
    near text;
begin
    for near in select i.indexname from pg_indexes i where i.schemaname = 'vcontract' and i.indexname ~ '^embedding_\d+_near$' loop
        execute format('alter index vcontract.%I set (ef_construction = 128)', near);
    end loop;
end
$$;
