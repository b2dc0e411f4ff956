"""What a session is doing."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["AgentState"]


class AgentState(StrEnum):
    """The state of a session. A member equals its value."""

    IDLE = "idle"
    RUNNING = "running"
    WAITING_FOR_TOOL = "waiting_for_tool"
    WAITING_FOR_INPUT = "waiting_for_input"
    COMPLETED = "completed"
    ERROR = "error"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    MAX_STEPS = "max_steps"
    BUDGET_EXCEEDED = "budget_exceeded"
