"""vCons in the database: preparation, rows, tags, versions, webhooks, holds and retention."""
