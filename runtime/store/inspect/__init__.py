"""Inspection and background upkeep of the database: queries, schema, statistics, webhooks, maintenance."""
