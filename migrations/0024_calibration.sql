-- What cosines mean, measured with vectors in which a text counts twice and the text among its neighbours once.
update vcontract.embedding_space set calibration = '{0.069,0.344,0.428}'
where model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256';
