"""The database: where it runs, how it is reached, and what its schema is."""
