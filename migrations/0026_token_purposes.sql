-- What who bears a token wants conversations for: those whose parties do not consent to it are not answered.
alter table vcontract.token add column purposes text[] not null default '{}';
