"""The PostgreSQL database: embedded cluster or external server, connections, schema, roles and tenants."""
