"""PostgreSQL storage: pool, embedded cluster, migrations, searches and all other statements."""
