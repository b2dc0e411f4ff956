"""The events that handlers receive, and those in the history of a session."""

from __future__ import annotations

import time
import uuid
from enum import StrEnum
from typing import Any

from agent.core.model import Model

__all__ = [
    "EVENT_TYPE_MAP",
    "AnyEvent",
    "AssistantMessage",
    "AudioBlock",
    "AudioData",
    "ContentBlock",
    "ErrorEvent",
    "Event",
    "EventType",
    "ImageURL",
    "ImageURLBlock",
    "ProviderMeta",
    "ProviderSwitchEvent",
    "ReasoningBlock",
    "SessionEvent",
    "StopReason",
    "StreamChunk",
    "TextBlock",
    "ToolCall",
    "ToolResult",
    "UserMessage",
    "VideoBlock",
    "VideoData",
    "deserialize_event",
]


class StopReason(StrEnum):
    """Why the model ended its answer, or the agent its work."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    TIMEOUT = "timeout"
    MAX_STEPS = "max_steps"
    BUDGET_EXCEEDED = "budget_exceeded"
    CANCELLED = "cancelled"
    ERROR = "error"


class _Block(Model):
    """A part of a message with fields of given names. Subclasses name the fields with their defaults; ... is one that must be given."""

    FIELDS: dict[str, Any] = {}

    def __init__(self, **given: Any) -> None:
        for name, default in self.FIELDS.items():
            if default is ... and name not in given:
                raise TypeError(f"{type(self).__name__} needs {name}")
            setattr(self, name, given.pop(name, default))
        if given:
            raise TypeError(f"{type(self).__name__} has no attribute {', '.join(sorted(given))}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class TextBlock(_Block):
    """A text in a message of several parts."""

    FIELDS = {"type": "text", "text": ...}


class ImageURL(_Block):
    """Where an image is."""

    FIELDS = {"url": ..., "detail": None}


class ImageURLBlock(_Block):
    """An image in a message."""

    FIELDS = {"type": "image_url", "image_url": ...}


class AudioData(_Block):
    """Where a sound is."""

    FIELDS = {"url": ..., "format": ""}


class AudioBlock(_Block):
    """A sound in a message."""

    FIELDS = {"type": "audio", "audio": ...}


class VideoData(_Block):
    """Where a film is."""

    FIELDS = {"url": ..., "format": ""}


class VideoBlock(_Block):
    """A film in a message."""

    FIELDS = {"type": "video", "video": ...}


ContentBlock = TextBlock | ImageURLBlock | AudioBlock | VideoBlock


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
    PROVIDER_SWITCH = "provider_switch"
    BEFORE_TURN = "before_turn"
    AFTER_TURN = "after_turn"


class Event(Model):
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

    def _fields(self) -> dict[str, Any]:
        return {"id": self.id, "type": self.type, "timestamp": self.timestamp, "data": self.data} | {
            name: getattr(self, name) for name in self.FIELDS
        }

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
        return _restore, (type(self), self._fields())

    def with_text(self, text: str) -> _TextEvent:
        """The same event with another text, for the next handler of a chain."""
        return type(self)(**(self._fields() | {self.TEXT: text}))

    def current(self) -> _TextEvent:
        """The event whose text is what a handler may have set in place."""
        text = getattr(self, self.TEXT)
        return self if text == str(self) else self.with_text("" if text is None else str(text))


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
    # stop_reason is a StopReason, or None.
    FIELDS = {"content": "", "stop_reason": None}


class StreamChunk(Event):
    """A piece of the model's answer while it arrives."""

    TYPE = EventType.STREAM_CHUNK
    FIELDS = {"text": "", "reasoning_text": "", "finished": False}


class ToolCall(Event):
    """A tool is about to run, or has run."""

    TYPE = EventType.TOOL_CALL
    FIELDS = {"tool_name": "", "tool_call_id": "", "arguments": {}}

    def _fill(self, given: dict[str, Any]) -> None:
        super()._fill(given)
        self.tool_call_id = self.tool_call_id or uuid.uuid4().hex


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
    FIELDS = {"provider": "", "model": "", "usage": {}, "request_id": "", "duration_ms": 0.0}


class ErrorEvent(Event):
    """An error ended a turn."""

    TYPE = EventType.ERROR
    FIELDS = {"message": "", "recoverable": True}


class ProviderSwitchEvent(Event):
    """Another provider answers from now on. aura does not record such events."""

    TYPE = EventType.PROVIDER_SWITCH
    FIELDS = {"from_provider": "", "from_model": "", "to_provider": "", "to_model": ""}


AnyEvent = (
    UserMessage | AssistantMessage | StreamChunk | ToolCall | ToolResult | ReasoningBlock | ProviderMeta | ErrorEvent | SessionEvent | ProviderSwitchEvent
)

EVENT_TYPE_MAP: dict[EventType, type[Event]] = {cls.TYPE: cls for cls in AnyEvent.__args__}


def deserialize_event(data: dict[str, Any]) -> Event:
    """The event that model_dump wrote."""
    return EVENT_TYPE_MAP[EventType(data["type"])](**data)
