"""The contract as a server serves it."""
