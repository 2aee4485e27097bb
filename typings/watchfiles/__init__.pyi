import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

def awatch(
    *paths: Path,
    watch_filter: None,
    debounce: int,
    step: int,
    stop_event: asyncio.Event,
    recursive: bool = ...,
    rust_timeout: int = ...,
    yield_on_timeout: bool = ...,
) -> AsyncGenerator[set[tuple[int, str]]]: ...
