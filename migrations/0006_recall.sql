-- Recall: what words and meaning find of exchanges, reflections and other records, with one score.
select;
