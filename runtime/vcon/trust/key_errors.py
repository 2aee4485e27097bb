"""What is raised for a key that cannot be used; apart from keys, so that to know it loads no cryptography."""


class UnusableKey(ValueError):
    """A key or certificate that cannot be used; the message says why and what can."""
