"""Tools as extensions describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

__all__ = ["SideEffect", "ToolSpec"]


class SideEffect(str, Enum):
    """What a call of a tool may do beyond returning a text."""

    NONE = "none"
    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    NETWORK = "network"

    def __str__(self) -> str:
        return self.value


@dataclass
class ToolSpec:
    """One tool: what the model is shown of it, and the function that runs it."""

    name: str
    description: str = ""
    # A JSON schema of an object: the arguments, by name.
    input_schema: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    # Members of SideEffect, or their values as strings.
    side_effects: list[SideEffect] = field(default_factory=lambda: [SideEffect.NONE])
    requires_approval: bool = False
    # Seconds; None means the deadline of the extension.
    timeout_s: float | None = None
    handler: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        self.side_effects = _side_effects(self.name, self.side_effects)


def _side_effects(tool: str, given: Any) -> list[SideEffect]:
    if given is None:
        return [SideEffect.NONE]
    if isinstance(given, (str, SideEffect)):
        given = [given]
    out = []
    for value in given:
        try:
            out.append(SideEffect(value.lower() if isinstance(value, str) and not isinstance(value, SideEffect) else value))
        except ValueError:
            known = ", ".join(effect.value for effect in SideEffect)
            raise ValueError(f"tool {tool!r}: {value!r} is no side effect; use one of {known}") from None
    return out or [SideEffect.NONE]
