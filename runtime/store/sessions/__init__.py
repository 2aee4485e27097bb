"""Working sessions, their projects, and what was learned in them."""
