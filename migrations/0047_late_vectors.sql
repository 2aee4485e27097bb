-- The bundled model embeds turns in windows of their conversation. Their vectors have a space of their own: a store
-- without vectors takes it at once; others build it in the background and search the old one meanwhile.
update vcontract.embedding_space s
set model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256/late/254/own', calibration = '{0.072,0.348,0.415}'
where s.model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256'
    and not exists (select from vcontract.embedding e where e.space = s.id);
