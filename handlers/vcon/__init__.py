"""The `vcon` toolset: create, read, search, change and delete vCons, and describe the database."""
