"""The small contract, for the tests of this room."""

from tests.small_contract import (
    answers,
    caller,
    dispatcher,
    every_toolset,
    fake_contract,
    make_dispatcher,
    package,
)

__all__ = ["answers", "caller", "dispatcher", "every_toolset", "fake_contract", "make_dispatcher", "package"]
