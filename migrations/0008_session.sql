-- Working sessions: projects, sessions, reflections, cached results.
select;
