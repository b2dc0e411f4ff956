"""The cancellation of a call."""

from __future__ import annotations

import asyncio


class Signal(asyncio.Event):
    """Set when the call is cancelled. A handler that blocks the loop sees it too."""

    def __init__(self) -> None:
        super().__init__()
        self._cancelled = False

    def is_set(self) -> bool:
        return self._cancelled or super().is_set()

    async def wait(self) -> bool:
        return True if self.is_set() else await super().wait()

    def cancel(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the event. It may be called in any thread."""
        self._cancelled = True
        loop.call_soon_threadsafe(self.set)
