"""The bus of an extension, connected with aura's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from agent.extensions.api import LIFECYCLE_EVENTS, ExtensionEventBus
from aura_runner import exact
from aura_runner.invoke import invoke
from aura_runner.wire import Wire

# For how many names it is reported that their messages cannot be sent.
_MOST_NAMES = 100


class Bus(ExtensionEventBus):
    """Passes messages to handlers of this extension, and to other plugins of aura. Lifecycle events stay here."""

    def __init__(self, name: str, wire: Wire, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(name)
        self._wire, self._loop = wire, loop
        self._thread = threading.get_ident()
        # Whether aura knows which events the extension handles.
        self._known = False
        self._unsendable: set[str] = set()

    def loaded(self) -> list[str]:
        """The names of other plugins' events that the extension handles, once it is loaded."""
        self._known = True
        return [name for name in self._handlers if name not in LIFECYCLE_EVENTS]

    def handled(self, name: str) -> bool:
        """Whether the extension handles messages of a name."""
        return bool(self._handlers.get(name))

    def on(self, name: str) -> Callable[[Any], Any]:
        subscribe = super().on(name)

        def subscribe_further(handler: Any) -> Any:
            further = self._known and not self.handled(name) and name not in LIFECYCLE_EVENTS
            subscribe(handler)
            if further:
                self._post("listen", event=name)
            return handler

        return subscribe_further

    def emit(self, name: str, payload: Any = None) -> None:
        super().emit(name, payload)
        self._forward(name, payload)

    async def emit_async(self, name: str, payload: Any = None) -> None:
        await super().emit_async(name, payload)
        self._forward(name, payload)

    async def deliver(self, name: str, payload: Any) -> None:
        """Call the extension's own handlers only. They cannot delay the loop."""
        for handler in tuple(self._handlers.get(name, ())):
            await self._finish(name, invoke(handler, payload))

    def _schedule(self, work: Any) -> None:
        # Asynchronous handlers run in the loop, whoever emits.
        if threading.get_ident() == self._thread:
            super()._schedule(work)
        else:
            asyncio.run_coroutine_threadsafe(work, self._loop)

    def _forward(self, name: str, payload: Any) -> None:
        if name in LIFECYCLE_EVENTS:
            return
        try:
            content = exact.tree(payload)
        except TypeError as error:
            if name not in self._unsendable and len(self._unsendable) < _MOST_NAMES:
                self._unsendable.add(name)
                self._logger.warning("messages of %r stay inside the extension: %s", name, error)
            return
        self._post("emit", event=name, payload=content)

    def _post(self, request: str, **content: Any) -> None:
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(lambda: self._post(request, **content))
            return
        self._wire.post(request, **content).add_done_callback(self._posted)

    def _posted(self, future: asyncio.Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._logger.warning("%s", error)
