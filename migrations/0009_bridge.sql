-- Lived experience: sources, moments, scenes.
select;
