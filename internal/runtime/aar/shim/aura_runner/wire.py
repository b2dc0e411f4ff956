"""The frames between the host and this guest."""

from __future__ import annotations

import asyncio
import fcntl
import itertools
import json
import os
import re
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from aura_runner import exact

# The descriptors that the host passes.
FROM_HOST, TO_HOST = 3, 4

# The frames are moved to descriptors from here on, which no extension closes or writes to by mistake.
_OWN = 64

# The size of the largest frame, in bytes.
MAX_FRAME = 64 << 20

# What ends a process whose connection with the host is lost.
LOST = 70


class Failure(Exception):
    """A call that failed, or a request that the host refused. result is a tree: what a hook decided although a part of it failed."""

    def __init__(self, message: str, kind: str = "error", result: Any = None) -> None:
        super().__init__(message)
        self.kind, self.result = kind, result


class Wire:
    """Sends frames, and receives them in a thread of its own, so that a blocking handler does not delay a cancellation."""

    def __init__(
        self, on_call: Callable[[dict[str, Any]], None], on_cancel: Callable[[int], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        # Both functions are called in the thread that receives frames.
        self._on_call, self._on_cancel, self._loop = on_call, on_cancel, loop
        self._in, self._out = _take(FROM_HOST), _take(TO_HOST)
        self._sending = threading.Lock()
        os.register_at_fork(after_in_child=self._forked)
        # The numbers of requests; next is atomic.
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        # The requests of threads that block until the answer comes.
        self._blocked: dict[int, _Blocked] = {}

    def start(self) -> None:
        """Begin to receive."""
        threading.Thread(target=self._receive, name="aura frames", daemon=True).start()

    def answer(self, call: int, result: Any) -> None:
        """Send the result of a call. result is a tree."""
        try:
            self._send({"id": call, "result": result})
        except _TooLarge as error:
            self.fail(call, Failure(f"the answer has {error}", "size"))

    def fail(self, call: int, failure: Failure) -> None:
        """Send the failure of a call."""
        message = str(failure).encode("utf-8", "replace").decode()
        frame = {"id": call, "failure": {"kind": failure.kind, "message": message[: MAX_FRAME // 16]}}
        if failure.result is not None:
            frame["result"] = failure.result
        try:
            self._send(frame)
        except _TooLarge as error:
            self.fail(call, Failure(f"the answer has {error}", "size"))

    async def ask(self, request: str, **content: Any) -> Any:
        """Ask the host for something, and wait for the answer."""
        return await self.post(request, **content)

    def post(self, request: str, **content: Any) -> asyncio.Future[Any]:
        """Ask the host for something. Must run in the loop's thread."""
        number = next(self._numbers)
        future = self._waiting[number] = self._loop.create_future()
        try:
            self._send({"id": number, "ask": request, **content})
        except _TooLarge as error:
            del self._waiting[number]
            future.set_exception(Failure(f"the request has {error}"))
        return future

    def ask_blocking(self, request: str, **content: Any) -> Any:
        """Ask the host for something that it answers at once, and block this thread until the answer comes."""
        if self._out < 0:
            raise Failure(f"aura cannot be asked for {request!r} in a process that the extension forked")
        number, blocked = next(self._numbers), _Blocked()
        self._blocked[number] = blocked
        self._send({"id": number, "ask": request, **content})
        blocked.done.wait()
        if blocked.frame.get("failure"):
            raise Failure(blocked.frame["failure"]["message"])
        return blocked.frame["result"]

    def _forked(self) -> None:
        """Let go of the frames in a child that the extension forked. They belong to this process alone."""
        os.close(self._in)
        os.close(self._out)
        self._out = -1

    def _send(self, frame: dict[str, Any]) -> None:
        if self._out < 0:
            os._exit(LOST)  # a forked child came back from the extension
        text = json.dumps(frame, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        if len(text) > MAX_FRAME:
            raise _TooLarge(f"{len(text)} bytes, more than the limit of {MAX_FRAME >> 20} MiB")
        data = memoryview(struct.pack(">I", len(text)) + text)
        with self._sending:
            while data:
                data = data[os.write(self._out, data) :]

    def _receive(self) -> None:
        try:
            with os.fdopen(self._in, "rb", buffering=1 << 16) as stream:
                while True:
                    head = stream.read(4)
                    if len(head) < 4:
                        os._exit(0)  # the host is gone
                    self._frame(stream.read(struct.unpack(">I", head)[0]))
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(LOST)

    def _frame(self, text: bytes) -> None:
        try:
            frame = exact.loads(text)
        except RecursionError:
            number = re.match(rb'\{"id":(\d+),', text)
            if number is None:
                raise
            self.fail(int(number[1]), Failure("the call has values that are nested too deeply"))
            return
        if frame.get("call") == "cancel":
            self._on_cancel(frame["of"])
        elif "call" in frame:
            self._on_call(frame)
        elif (blocked := self._blocked.pop(frame["id"], None)) is not None:
            blocked.frame = frame
            blocked.done.set()
        else:
            self._loop.call_soon_threadsafe(self._answered, frame)

    def _answered(self, frame: dict[str, Any]) -> None:
        future = self._waiting.pop(frame["id"], None)
        if future is None or future.done():
            return
        if frame.get("failure"):
            future.set_exception(Failure(frame["failure"]["message"]))
        else:
            future.set_result(frame.get("result"))


class _TooLarge(Exception):
    pass


class _Blocked:
    """A thread that waits for an answer."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.frame: dict[str, Any] = {}


def _take(fd: int) -> int:
    """Move a descriptor out of the way. Programs that the extension starts do not inherit it. The null device takes its place, so that
    nothing else gets the number."""
    own = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _OWN)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, fd, inheritable=False)
    os.close(null)
    return own
