"""The interface of extensions.

An extension is a module with a function register(api). It is called once, with an ExtensionAPI. The module can be used alone:
tests of an extension make an ExtensionAPI, call register, and look at what was registered.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from agent.tools.schema import SideEffect, ToolSpec

__all__ = [
    "BlockResult",
    "ExtensionAPI",
    "ExtensionAPIProtocol",
    "ExtensionContext",
    "ExtensionContextProtocol",
    "ExtensionEventBus",
    "UIAction",
    "UIInvocation",
    "UINode",
    "UIPanel",
    "run_ui_action",
    "run_ui_snapshot",
]

Handler = TypeVar("Handler", bound=Callable[..., Any])

# The events that handlers can subscribe to.
LIFECYCLE_EVENTS = (
    "session_start",
    "session_end",
    "before_turn",
    "after_turn",
    "user_message",
    "tool_call",
    "tool_result",
    "assistant_message",
    "stream_chunk",
    "error",
)


@dataclass(frozen=True)
class BlockResult:
    """Returned by a handler of tool_call to keep the tool from running."""

    reason: str = ""


@dataclass(frozen=True)
class ExtensionContext:
    """What a handler is given beside its event."""

    # The session as it is at this moment, to be read.
    session: Any = None
    # The settings of the agent, to be read.
    config: Any = None
    # Set when the user cancels.
    signal: asyncio.Event | None = None
    logger: logging.Logger = logging.getLogger("aar.ext")


@runtime_checkable
class ExtensionContextProtocol(Protocol):
    """The attributes of ExtensionContext, for annotations."""

    session: Any
    config: Any
    signal: Any
    logger: Any


class ExtensionEventBus:
    """Messages between handlers of one extension and, under aura, between extensions."""

    def __init__(self, name: str = "") -> None:
        self._handlers: dict[str, list[Callable[..., Any]]] = defaultdict(list)
        self._logger = logging.getLogger(f"aar.ext.{name}" if name else "aar.ext")
        # Tasks that were scheduled; the event loop itself keeps only weak references.
        self._tasks: set[asyncio.Task[Any]] = set()

    def on(self, name: str) -> Callable[[Handler], Handler]:
        """Subscribe the decorated function to messages of a name."""

        def subscribe(handler: Handler) -> Handler:
            self._handlers[name].append(handler)
            return handler

        return subscribe

    def emit(self, name: str, payload: Any = None) -> None:
        """Call the handlers of a name. Asynchronous handlers are scheduled and not awaited."""
        for handler in tuple(self._handlers.get(name, ())):
            awaitable = self._call(name, handler, payload)
            if awaitable is not None:
                self._schedule(self._finish(name, awaitable))

    async def emit_async(self, name: str, payload: Any = None) -> None:
        """Call the handlers of a name, and wait for the asynchronous ones, one after the other."""
        for handler in tuple(self._handlers.get(name, ())):
            awaitable = self._call(name, handler, payload)
            if awaitable is not None:
                await self._finish(name, awaitable)

    def _call(self, name: str, handler: Callable[..., Any], payload: Any) -> Awaitable[Any] | None:
        try:
            result = handler(payload)
        except Exception:
            self._logger.exception("a handler of %r failed", name)
            return None
        return result if inspect.isawaitable(result) else None

    async def _finish(self, name: str, awaitable: Awaitable[Any]) -> None:
        try:
            await awaitable
        except Exception:
            self._logger.exception("a handler of %r failed", name)

    def _schedule(self, work: Any) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Without a loop nothing would run the handler later.
            asyncio.run(work)
            return
        task = loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


@runtime_checkable
class ExtensionAPIProtocol(Protocol):
    """The methods of ExtensionAPI, for annotations."""

    name: str
    events: ExtensionEventBus

    def on(self, event: str) -> Callable[[Handler], Handler]: ...

    def register_tool(self, spec: ToolSpec) -> None: ...

    def append_system_prompt(self, text: str) -> None: ...


class ExtensionAPI:
    """The handle that register is given."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.events = ExtensionEventBus(name)
        # Tests of extensions read these.
        self._event_handlers: dict[str, list[Callable[..., Any]]] = defaultdict(list)
        self._tools: list[ToolSpec] = []
        self._commands: dict[str, tuple[str, Callable[..., Any]]] = {}
        self._system_prompt_parts: list[str] = []
        self._panels: list[Any] = []
        self._logger = logging.getLogger(f"aar.ext.{name}" if name else "aar.ext")

    def on(self, event: str) -> Callable[[Handler], Handler]:
        """Subscribe the decorated function to an event. It is called with (event, ctx)."""
        if event not in LIFECYCLE_EVENTS:
            self._logger.warning("there is no event %r; the events are %s", event, ", ".join(LIFECYCLE_EVENTS))

        def subscribe(handler: Handler) -> Handler:
            self._event_handlers[event].append(handler)
            return handler

        return subscribe

    def tool(
        self,
        name: str,
        description: str,
        input_schema: dict[str, Any],
        *,
        side_effects: list[SideEffect] | None = None,
        requires_approval: bool = False,
        timeout_s: float | None = None,
    ) -> Callable[[Handler], Handler]:
        """Make the decorated function a tool of the model."""

        def register(handler: Handler) -> Handler:
            self.register_tool(
                ToolSpec(
                    name=name,
                    description=description,
                    input_schema=input_schema,
                    side_effects=side_effects if side_effects is not None else [SideEffect.NONE],
                    requires_approval=requires_approval,
                    timeout_s=timeout_s,
                    handler=handler,
                )
            )
            return handler

        return register

    def register_tool(self, spec: ToolSpec) -> None:
        """Add a tool that has been described elsewhere."""
        # Of two tools with one name, the last one wins.
        self._tools[:] = [known for known in self._tools if known.name != spec.name] + [spec]

    def command(self, name: str, *, description: str = "") -> Callable[[Handler], Handler]:
        """Make the decorated function a slash command. It is called with (args, ctx)."""

        def register(handler: Handler) -> Handler:
            self._commands[name.removeprefix("/")] = (description, handler)
            return handler

        return register

    def append_system_prompt(self, text: str) -> None:
        """Add a paragraph to the system prompt of every turn."""
        self._system_prompt_parts.append(text)

    def register_panel(self, panel: Any) -> None:
        """Keep a panel. aura has no place to show panels."""
        self._panels.append(panel)

    @staticmethod
    def block(reason: str) -> BlockResult:
        """The answer of a tool_call handler that keeps the tool from running."""
        return BlockResult(reason)


class _Part:
    """A part of a panel. It keeps whatever it is given, since nothing of a panel is shown."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        self.args = args
        self.__dict__.update(attributes)


class UINode(_Part):
    """An element of a panel."""


class UIAction(_Part):
    """Something that a panel lets the user do."""


class UIPanel(_Part):
    """A panel beside the conversation."""


class UIInvocation(_Part):
    """A user's use of an action."""


async def run_ui_action(*_: Any, **__: Any) -> None:
    """There are no panels, so no action is ever run."""


async def run_ui_snapshot(*_: Any, **__: Any) -> None:
    """There are no panels, so there is no picture of one."""
