"""One process that holds the embedding model for every server of a store, and the servers' side of it."""
