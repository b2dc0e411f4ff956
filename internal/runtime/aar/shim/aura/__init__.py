"""The time and random numbers, from aura.

A recording of aura keeps them, and a replay returns them again. Other clocks and random numbers work too, but a replay cannot repeat
them. Without aura, as in a test of the extension alone, the functions return the time and random numbers of this process.
"""

from __future__ import annotations

import datetime
import random
import time
from collections.abc import Callable
from typing import Any

__all__ = ["now", "rand"]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

# Asks aura for something. aura's runner sets it.
_ask: Callable[[str], Any] | None = None


def now() -> datetime.datetime:
    """The current time, in UTC."""
    nanoseconds = time.time_ns() if _ask is None else _ask("now")
    return _EPOCH + datetime.timedelta(microseconds=nanoseconds // 1000)


def rand() -> int:
    """A random number from 0 to 2**64 - 1. It is not meant for secrets. random.Random(rand()) makes any number of further ones."""
    return random.getrandbits(64) if _ask is None else _ask("rand")
