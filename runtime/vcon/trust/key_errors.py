"""Errors about keys, in a module of their own so that catching them loads no cryptography."""


class UnusableKey(ValueError):
    """An unusable key or certificate; the message says why and what is supported."""
