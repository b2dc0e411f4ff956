"""A companion that grows with the work of a session."""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = ["CompanionEngine", "Mood", "steps_to_level", "xp_fraction"]

# The number of steps with which each level begins, from level 1.
_LEVELS = (0, 5, 15, 30, 50)


class Mood(str, Enum):
    """How the companion feels."""

    HAPPY = "happy"
    SLEEPING = "sleeping"
    FOCUSED = "focused"
    THINKING = "thinking"
    EXCITED = "excited"
    STRESSED = "stressed"
    LEVEL_UP = "level_up"

    def __str__(self) -> str:
        return self.value


def steps_to_level(steps: int) -> int:
    """The level that a number of steps reaches, from 1 to 5."""
    return max(1, sum(steps >= start for start in _LEVELS))


def xp_fraction(steps: int, level: int) -> float:
    """How much of a level is done, from 0 to 1. The last level is always done."""
    level = max(1, level)
    if level >= len(_LEVELS):
        return 1.0
    start, end = _LEVELS[level - 1], _LEVELS[level]
    return min(1.0, max(0.0, (steps - start) / (end - start)))


class CompanionEngine:
    """Counts steps and errors, and derives level and mood."""

    def __init__(self) -> None:
        self.mood = Mood.HAPPY
        self.level = 1
        self.steps = 0
        self.errors = 0

    def on_step(self) -> bool:
        """Count a tool call. Reports whether a level was gained."""
        self.steps += 1
        gained = steps_to_level(self.steps) > self.level
        self.level = steps_to_level(self.steps)
        self.mood = Mood.LEVEL_UP if gained else Mood.FOCUSED
        return gained

    def on_streaming(self) -> None:
        """The model is answering."""
        self.mood = Mood.EXCITED

    def on_thinking(self) -> None:
        """The model is thinking."""
        self.mood = Mood.THINKING

    def on_error(self) -> None:
        """Something failed."""
        self.errors += 1
        self.mood = Mood.STRESSED

    def on_idle(self) -> None:
        """Nothing happens."""
        self.mood = Mood.SLEEPING

    def bootstrap_from_session(self, session: Any) -> None:
        """Take over the tool calls of a session that has begun before."""
        events = getattr(session, "events", None) or []
        self.steps = sum(getattr(event, "type", None) == "tool_call" for event in events)
        self.level = steps_to_level(self.steps)
