"""How hard the tests look for what nobody thought of: few examples, or more and fresh ones.

`make fuzz` sets FUZZ_SEED, from which every example follows, and FUZZ_TIMES, how many times as many to try.
"""

import os
from typing import Final

from hypothesis import HealthCheck, settings

SEED: Final = int(os.environ.get("FUZZ_SEED", "1"))
IS_FRESH: Final = "FUZZ_SEED" in os.environ
TIMES: Final = int(os.environ.get("FUZZ_TIMES", "1"))


def examples(few: int) -> int:
    """How many examples to try where `few` do for each change."""
    return few * TIMES


def relaxed(few: int) -> settings:
    """So many, however long each takes, with fixtures that all share."""
    return settings(
        max_examples=examples(few),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
