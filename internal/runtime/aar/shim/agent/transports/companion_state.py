"""A companion that grows with the work of a session."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = [
    "LEVEL_THRESHOLDS",
    "CompanionEngine",
    "GitHealth",
    "Mood",
    "companion_on_prune",
    "companion_stats_from_session",
    "get_git_health",
    "steps_to_level",
    "xp_fraction",
]

# The number of steps with which each level begins, from level 1.
LEVEL_THRESHOLDS: tuple[int, ...] = (0, 5, 15, 30, 50)

# The key of the metadata that has the counts of events which a session no longer holds.
_BASELINE = "companion_baseline"

# How long git may take, in seconds, and from how many changed files on a working tree is a mess.
_GIT_SECONDS, _MESS = 3.0, 5


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


@dataclass
class GitHealth:
    """How many files of the working tree git reports."""

    dirty_files: int = 0
    untracked_files: int = 0

    @property
    def total_issues(self) -> int:
        return self.dirty_files + self.untracked_files

    @property
    def stress_level(self) -> int:
        """0 without any, 1 with a few, 2 with many."""
        return (self.total_issues > 0) + (self.total_issues >= _MESS)


def steps_to_level(steps: int) -> int:
    """The level that a number of steps reaches, from 1 to 5."""
    return max(1, sum(steps >= start for start in LEVEL_THRESHOLDS))


def xp_fraction(steps: int, level: int) -> float:
    """How much of a level is done, from 0 to 1. The last level is always done."""
    level = max(1, level)
    if level >= len(LEVEL_THRESHOLDS):
        return 1.0
    start, end = LEVEL_THRESHOLDS[level - 1], LEVEL_THRESHOLDS[level]
    return min(1.0, max(0.0, (steps - start) / (end - start)))


class CompanionEngine:
    """Counts steps and errors, and derives level and mood."""

    # How many ticks without work send the companion to sleep, and how many it celebrates a new level.
    SLEEP_TICKS = 60
    LEVELUP_TICKS = 8

    def __init__(self) -> None:
        self.mood = Mood.HAPPY
        self.level = 1
        self.steps = 0
        self.errors = 0
        self.git_health = GitHealth()
        self._quiet = self._celebration = 0

    @property
    def xp(self) -> float:
        """How much of the level is done, from 0 to 1."""
        return xp_fraction(self.steps, self.level)

    def _feel(self, mood: Mood) -> None:
        """Change the mood, unless the companion celebrates."""
        self._quiet = 0
        if self.mood is not Mood.LEVEL_UP:
            self.mood = mood

    def on_step(self) -> bool:
        """Count a tool call. Reports whether a level was gained."""
        self.steps += 1
        before, self.level = self.level, steps_to_level(self.steps)
        self._feel(Mood.FOCUSED)
        if self.level <= before:
            return False
        self.mood, self._celebration = Mood.LEVEL_UP, self.LEVELUP_TICKS
        return True

    def on_streaming(self) -> None:
        """The model is answering."""
        self._feel(Mood.EXCITED)

    def on_thinking(self) -> None:
        """The model is thinking."""
        self._feel(Mood.THINKING)

    def on_error(self) -> None:
        """Something failed."""
        self.errors += 1
        self._feel(Mood.STRESSED)

    def on_idle(self) -> None:
        """The work is done. How the companion rests depends on the working tree."""
        self._feel((Mood.HAPPY, Mood.FOCUSED, Mood.STRESSED)[self.git_health.stress_level])

    def apply_git_health(self, health: GitHealth) -> None:
        """Take over how the working tree is."""
        self.git_health = health
        if self.mood in (Mood.HAPPY, Mood.FOCUSED, Mood.STRESSED, Mood.SLEEPING):
            self.on_idle()

    def tick(self) -> None:
        """Half a second has passed."""
        if self.mood is Mood.LEVEL_UP:
            self._celebration -= 1
            if self._celebration <= 0:
                self.mood = Mood.HAPPY
                self.on_idle()
            return
        self._quiet += 1
        if self._quiet > self.SLEEP_TICKS:
            self.mood = Mood.SLEEPING

    def bootstrap_from_session(self, session: Any) -> None:
        """Take over the tool calls and errors of a session that has begun before."""
        stats = companion_stats_from_session(session)
        self.steps, self.errors = stats["steps"], stats["errors"]
        self.level = steps_to_level(self.steps)
        self.mood, self._celebration = Mood.HAPPY, 0
        self.on_idle()


def companion_stats_from_session(session: Any) -> dict[str, int]:
    """How many tool calls and errors a session had, with those that it no longer holds."""
    return _counted(getattr(session, "events", None) or (), getattr(session, "metadata", None) or {})


def companion_on_prune(pruned: list[Any], metadata: dict[str, Any]) -> None:
    """Add events that a session drops to the counts in its metadata."""
    metadata[_BASELINE] = _counted(pruned, metadata)


def _counted(events: Any, metadata: dict[str, Any]) -> dict[str, int]:
    kinds = [getattr(event, "type", None) for event in events]
    before = metadata.get(_BASELINE) or {}
    return {
        "steps": int(before.get("steps", 0)) + kinds.count("tool_call"),
        "errors": int(before.get("errors", 0)) + kinds.count("error"),
    }


async def get_git_health(cwd: str | None = None) -> GitHealth:
    """Ask git about the working tree. If that fails, nothing is reported."""
    try:
        process = await asyncio.create_subprocess_exec(
            "git", "status", "--porcelain", cwd=cwd, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        out, _ = await asyncio.wait_for(process.communicate(), _GIT_SECONDS)
    except (OSError, asyncio.TimeoutError):
        return GitHealth()
    lines = [line for line in out.decode("utf-8", "replace").splitlines() if line]
    untracked = sum(line.startswith("??") for line in lines)
    return GitHealth(dirty_files=len(lines) - untracked, untracked_files=untracked)
