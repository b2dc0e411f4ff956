"""Calling the functions of an extension."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import threading
from collections.abc import Callable
from typing import Any

from aura_runner.wire import LOST, Failure


class Ended(Failure):
    """A function that tried to end the process."""


async def invoke(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function of the extension, and wait for it. A synchronous one runs in a thread, so that it may block and run a loop of its own.
    Only Exception and the cancellation of the call are raised."""
    if inspect.iscoroutinefunction(function):
        return await run_here(function, *args, **named)
    return await run_here(_in_thread, lambda: function(*args, **named))


async def run_here(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Like invoke, in this thread."""
    try:
        result = function(*args, **named)
        while inspect.isawaitable(result):
            result = await result
        return result
    except (SystemExit, KeyboardInterrupt) as error:
        code = f"({error.code!r})" if isinstance(error, SystemExit) else ""
        raise Ended(f"the extension called {'sys.exit' if code else 'KeyboardInterrupt'}{code}, which aura does not permit") from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise RuntimeError("something that the handler awaited was cancelled") from error


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Call a function in a thread of its own. The call lasts as long as the thread, also if it is cancelled: aura kills a process whose call
    does not end, and would miss a thread that is left behind."""
    loop, ended, process = asyncio.get_running_loop(), asyncio.Event(), os.getpid()
    context, result, failed = contextvars.copy_context(), None, None

    def run() -> None:
        nonlocal result, failed
        try:
            result = context.run(function)
        except BaseException as error:
            failed = error
        if os.getpid() != process:
            os._exit(LOST)  # a forked child came back from the extension
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=run, name="aura call", daemon=True).start()
    while not ended.is_set():
        try:
            await ended.wait()
        except asyncio.CancelledError:
            continue
    if failed is not None:
        raise failed
    return result


def tool_arguments(handler: Callable[..., Any], arguments: dict[str, Any], ctx: Any) -> dict[str, Any]:
    """The arguments of a tool's handler: those of the call by name, and ctx if the handler takes it."""
    if "ctx" in arguments or not _takes_ctx(handler):
        return arguments
    return {**arguments, "ctx": ctx}


def _takes_ctx(handler: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(handler).parameters
    except (TypeError, ValueError):
        return False
    if "ctx" in parameters:
        return True
    kinds = {parameter.kind for parameter in parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        return False
    # A handler of (*args, **kwargs) passes on whatever it is given. One of (**kwargs) alone may list its arguments, and gets ctx only if
    # its code asks for it by name.
    code = getattr(inspect.unwrap(handler), "__code__", None)
    return inspect.Parameter.VAR_POSITIONAL in kinds or code is not None and "ctx" in code.co_consts


def positional(function: Callable[..., Any], *args: Any) -> tuple[Any, ...]:
    """As many of the arguments as a function takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return args
    for count in range(len(args), 0, -1):
        try:
            signature.bind(*args[:count])
        except TypeError:
            continue
        return args[:count]
    return args
