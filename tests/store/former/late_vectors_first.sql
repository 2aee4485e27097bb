-- The shipped model embeds the turns of talks in windows now, and their vectors are a space of their own. A store without
-- vectors takes it at once; in others it is built in the background while the old one is searched.
update vcontract.embedding_space s
set model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256/late/254', calibration = '{0.062,0.32,0.38}'
where s.model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256'
    and not exists (select from vcontract.embedding e where e.space = s.id);
