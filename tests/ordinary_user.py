"""The rights of an ordinary user, for the threads that work on files, also when the tests run as root."""

import asyncio
import ctypes
import functools
import os
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import pytest

Result = TypeVar("Result")

_VERSION = 0x20080522
_OVERRIDES = 0b111
"""CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root's way past what files permit."""


@contextmanager
def files_as_an_ordinary_user() -> Generator[None]:
    """Until its end `asyncio.to_thread` works in threads that may do only what files permit their owner."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may write everywhere, and no thread can do without that right")

    async def to_thread(function: Callable[..., object], /, *args: object, **named: object) -> object:
        call = functools.partial(function, *args, **named)
        return await asyncio.get_running_loop().run_in_executor(threads, call)

    with ThreadPoolExecutor(initializer=_give_up_overrides) as threads, pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio, "to_thread", to_thread)
        yield


def call_as_an_ordinary_user(call: Callable[[], Result]) -> Result:
    """What `call` returns when files permit it no more than they permit their owner."""
    if os.geteuid() != 0:
        return call()
    if sys.platform != "linux":
        pytest.skip("root may write everywhere, and no thread can do without that right")
    with ThreadPoolExecutor(initializer=_give_up_overrides) as threads:
        return threads.submit(call).result()


def _give_up_overrides() -> None:
    """Source: capset(2): version and thread; then effective, permitted and inheritable rights."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = (ctypes.c_uint32 * 2)(_VERSION, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, rights) == 0
    for place in range(3):
        rights[place] &= ~_OVERRIDES
    assert libc.capset(header, rights) == 0, os.strerror(ctypes.get_errno())
