"""The answer of a model as handlers of after_turn receive it."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from agent.core.events import EventType, ProviderMeta, ReasoningBlock, ToolCall

__all__ = ["ProviderResponse"]


@dataclass
class ProviderResponse:
    """A complete answer. Its tool calls have not run yet."""

    content: str = ""
    tool_calls: list[ToolCall] = field(default_factory=list)
    # One of the values of StopReason.
    stop_reason: str = ""
    reasoning: list[ReasoningBlock] = field(default_factory=list)
    # What the provider reported; usage has input_tokens and output_tokens of this answer.
    meta: ProviderMeta | None = None

    # Under aura, the answer can be used as an event, too.
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    type: EventType = EventType.AFTER_TURN
    timestamp: float = field(default_factory=time.time)
    data: dict[str, Any] = field(default_factory=dict)
