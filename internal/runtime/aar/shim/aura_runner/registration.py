"""The handle of an extension under aura."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agent.extensions.api import LIFECYCLE_EVENTS, ExtensionAPI
from agent.tools.schema import ToolSpec


class Registration(ExtensionAPI):
    """An ExtensionAPI that warns about what is registered too late: aura asks once what an extension registers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        # The events that aura sends; None while the extension is loaded.
        self._sent: set[str] | None = None

    def loaded(self, events: set[str]) -> None:
        """No more events, tools and commands can be added."""
        self._sent = events

    def on(self, event: str) -> Callable[[Any], Any]:
        if self._sent is not None and event in LIFECYCLE_EVENTS and event not in self._sent:
            self._late(f"the handler of {event}")
        return super().on(event)

    def register_tool(self, spec: ToolSpec) -> None:
        if self._sent is not None:
            self._late(f"the tool {spec.name}")
        super().register_tool(spec)

    def command(self, name: str, *, description: str = "") -> Callable[[Any], Any]:
        if self._sent is not None:
            self._late(f"the command {name}")
        return super().command(name, description=description)

    def _late(self, what: str) -> None:
        self._logger.warning("%s is never called: register it in register()", what)
