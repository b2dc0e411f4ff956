"""The events that handlers receive, and those in the history of a session."""

from __future__ import annotations

import time
import uuid
from enum import StrEnum
from typing import Any

__all__ = [
    "AssistantMessage",
    "ErrorEvent",
    "Event",
    "EventType",
    "ProviderMeta",
    "ReasoningBlock",
    "SessionEvent",
    "StreamChunk",
    "ToolCall",
    "ToolResult",
    "UserMessage",
]


class EventType(StrEnum):
    """The sorts of events. A member equals its value: EventType.TOOL_CALL == "tool_call"."""

    SESSION = "session"
    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    STREAM_CHUNK = "stream_chunk"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    REASONING = "reasoning"
    PROVIDER_META = "provider_meta"
    ERROR = "error"
    BEFORE_TURN = "before_turn"
    AFTER_TURN = "after_turn"


class Event:
    """What all events have in common."""

    # Subclasses say which sort they are, and which attributes they have, with their defaults.
    TYPE: EventType | None = None
    FIELDS: dict[str, Any] = {}

    def __init__(self, **given: Any) -> None:
        self._fill(given)

    def _fill(self, given: dict[str, Any]) -> None:
        self.id: str = given.pop("id", None) or uuid.uuid4().hex
        self.type = EventType(given.pop("type", None) or self.TYPE)
        # Seconds since 1970.
        self.timestamp: float = float(given.pop("timestamp", None) or time.time())
        self.data: dict[str, Any] = given.pop("data", None) or {}
        for name, default in self.FIELDS.items():
            setattr(self, name, given.pop(name) if name in given else _fresh(default))
        if given:
            raise TypeError(f"{type(self).__name__} has no attribute {', '.join(sorted(given))}")

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"{type(self).__name__}({parts})"


class _TextEvent(Event, str):
    """An event that can also be used as its text: extensions are written to either reading."""

    # The attribute that holds the text.
    TEXT = ""

    def __new__(cls, **given: Any) -> _TextEvent:
        return str.__new__(cls, given.get(cls.TEXT) or "")

    def __str__(self) -> str:
        return str.__str__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self._values())

    def _values(self) -> dict[str, Any]:
        return {"id": self.id, "type": self.type, "timestamp": self.timestamp, "data": self.data} | {
            name: getattr(self, name) for name in self.FIELDS
        }

    def with_text(self, text: str) -> _TextEvent:
        """The same event with another text, for the next handler of a chain."""
        return type(self)(**(self._values() | {self.TEXT: text}))


def _restore(cls: type[_TextEvent], values: dict[str, Any]) -> _TextEvent:
    return cls(**values)


def _fresh(default: Any) -> Any:
    return default.copy() if isinstance(default, (dict, list)) else default


class SessionEvent(Event):
    """A session begins or ends. action is "started", "resumed", "paused" or "ended"."""

    TYPE = EventType.SESSION
    FIELDS = {"action": "started"}


class UserMessage(_TextEvent):
    """The user's message. It can be used as its content."""

    TYPE = EventType.USER_MESSAGE
    TEXT = "content"
    FIELDS = {"content": "", "parts": []}

    @property
    def is_multimodal(self) -> bool:
        """Whether the message has more than text."""
        return bool(self.parts)


class AssistantMessage(Event):
    """The model's complete answer."""

    TYPE = EventType.ASSISTANT_MESSAGE
    FIELDS = {"content": "", "stop_reason": ""}


class StreamChunk(Event):
    """A piece of the model's answer while it arrives."""

    TYPE = EventType.STREAM_CHUNK
    FIELDS = {"text": "", "reasoning_text": "", "finished": False}


class ToolCall(Event):
    """A tool is about to run, or has run."""

    TYPE = EventType.TOOL_CALL
    FIELDS = {"tool_name": "", "tool_call_id": "", "arguments": {}}


class ToolResult(_TextEvent):
    """What a tool returned. It can be used as its output."""

    TYPE = EventType.TOOL_RESULT
    TEXT = "output"
    FIELDS = {"tool_call_id": "", "tool_name": "", "output": "", "is_error": False, "duration_ms": 0.0}


class ReasoningBlock(Event):
    """The model's thinking, in the history of a session."""

    TYPE = EventType.REASONING
    FIELDS = {"content": ""}


class ProviderMeta(Event):
    """What the provider reported about one answer; usage has input_tokens and output_tokens."""

    TYPE = EventType.PROVIDER_META
    FIELDS = {"provider": "", "model": "", "usage": {}}


class ErrorEvent(Event):
    """An error ended a turn."""

    TYPE = EventType.ERROR
    FIELDS = {"message": "", "recoverable": False}
