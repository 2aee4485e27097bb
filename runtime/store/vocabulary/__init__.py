"""Vocabulary of a tenant: tag keys and values, dealers, people."""
