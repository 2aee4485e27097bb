"""Storage of coding sessions, their projects and reflections."""
