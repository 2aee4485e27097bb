"""PostgreSQL: pool, embedded cluster, migrations, and every statement the tools need."""
