"""Calling the functions of an extension."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from aura_runner.wire import Failure


class Ended(Failure):
    """A function that tried to end the process."""


async def invoke(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """Call a function, and wait for it if it is asynchronous. Only Exception and the cancellation of the call are raised."""
    try:
        result = function(*args, **named)
        return await result if inspect.isawaitable(result) else result
    except (SystemExit, KeyboardInterrupt) as error:
        code = f"({error.code!r})" if isinstance(error, SystemExit) else ""
        raise Ended(f"the extension called {'sys.exit' if code else 'KeyboardInterrupt'}{code}, which aura does not permit") from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise RuntimeError("something that the handler awaited was cancelled") from error


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
