"""The messages of a model call as handlers of before_turn see them."""

from __future__ import annotations

import time
import uuid
from typing import Any

from agent.core.events import EventType
from aura_runner import exact


class Messages(list):
    """The messages about to be sent, without the system prompt. It is the event of before_turn."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        super().__init__(messages)
        self.id = uuid.uuid4().hex
        self.type = EventType.BEFORE_TURN
        self.timestamp = time.time()
        self.data: dict[str, Any] = {}

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The list itself."""
        return self


def split(sent: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The system prompt, and the messages after it."""
    first = next((i for i, message in enumerate(sent) if message["Role"] != "system"), len(sent))
    return sent[:first], sent[first:]


def shown(message: dict[str, Any]) -> dict[str, Any]:
    """A message of aura as handlers see it."""
    out: dict[str, Any] = {"id": message["ID"], "role": message["Role"], "content": message["Content"]}
    if message["ToolCalls"]:
        out["tool_calls"] = [{"id": call["ID"], "name": call["Name"], "arguments": exact.arguments(call["Arguments"])} for call in message["ToolCalls"]]
    if message["Role"] == "tool":
        out["tool_call_id"], out["name"] = message["ToolCallID"], message["ToolName"]
    return out


def merge(sent: list[dict[str, Any]], returned: list[Any]) -> list[dict[str, Any]]:
    """The messages of aura for a list that a handler returned. A message with the id of an original keeps what handlers do not see."""
    originals = {message["ID"]: message for message in sent}
    out = []
    for number, message in enumerate(returned):
        fields = message if isinstance(message, dict) else _fields(message)
        original = originals.pop(fields.get("id"), None)
        out.append(_message(fields, original, f"n{number:04d}"))
    return out


def _fields(message: Any) -> dict[str, Any]:
    found = {name: getattr(message, name) for name in ("id", "role", "content", "tool_calls", "tool_call_id", "name") if hasattr(message, name)}
    if "role" not in found:
        raise TypeError(f"before_turn returned a message of type {type(message).__name__}; use dicts with role and content")
    return found


def _message(fields: dict[str, Any], original: dict[str, Any] | None, number: str) -> dict[str, Any]:
    if not isinstance(fields.get("role"), str):
        raise TypeError("before_turn returned a message without a role")
    content = fields.get("content")
    out = dict(original) if original else {"ID": number, "Type": "normal"}
    out["Role"], out["Content"] = str(fields["role"]), content if isinstance(content, str) else _joined(content)
    if "tool_calls" in fields:
        out["ToolCalls"] = [
            {"ID": call["id"], "Name": call["name"], "Arguments": exact.floats(call.get("arguments") or {})} for call in fields["tool_calls"] or ()
        ]
    elif original:
        out["ToolCalls"] = None
    if "tool_call_id" in fields:
        out["ToolCallID"] = str(fields["tool_call_id"])
    if "name" in fields:
        out["ToolName"] = str(fields["name"])
    return out


def _joined(content: Any) -> str:
    """The text of a content that is a list of parts, or nothing."""
    if content is None:
        return ""
    if isinstance(content, (list, tuple)):
        return "\n".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return str(content)
