"""Weight: the error that `calls.pipeline` passes on; nothing raises it any more."""


class TooHeavy(Exception):
    """Raised by nobody."""
