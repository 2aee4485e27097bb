"""A worker of the background that does nothing, so that a test sees what the calls do themselves."""


class Idle:
    """A worker of the background that does nothing."""

    def start(self) -> None: ...

    def wake(self) -> None: ...

    async def stop(self) -> None: ...
