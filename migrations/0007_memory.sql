-- Transcripts of agents: files, exchanges, edited files.
select;
