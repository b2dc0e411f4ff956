"""The calls of the host."""

from __future__ import annotations

import asyncio
import contextvars
import json
import math
import os
from typing import Any

import aura
from agent.core.state import AgentState
from agent.extensions.api import LIFECYCLE_EVENTS, BlockResult, ExtensionContext
from agent.tools.schema import ToolSpec
from aura_runner import exact, load, log
from aura_runner.bus import Bus
from aura_runner.cancel import Signal
from aura_runner.config import Config
from aura_runner.hooks import ASKING, POINTS, Hooks
from aura_runner.invoke import Ended, invoke, positional, run_here, tool_arguments
from aura_runner.registration import Registration
from aura_runner.session import Metadata, Session
from aura_runner.wire import Failure, Wire

# The version of the protocol that this runner speaks.
PROTOCOL = 1

# The failures of handlers in the running call.
_failures: contextvars.ContextVar[list[Exception]] = contextvars.ContextVar("failures")

# How long a handler may still react to its signal before its task is cancelled, in seconds. The host waits longer than that.
CANCEL_GRACE = 0.25


class Runner:
    """Runs the calls of the host, each in a task of one loop. Synchronous functions of the extension run in threads."""

    def __init__(self, target: str, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._extension = load.Extension(target)
        self._wire = Wire(self._received, self._cancel, loop)
        # The calls that are not answered yet. The thread that receives frames adds them.
        self._signals: dict[int, Signal] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._session = Session(lambda call: self._wire.ask_blocking("lists", of=call))
        self._hooks = Hooks(self._fire)
        aura._ask = self._wire.ask_blocking

    def start(self) -> None:
        """Begin to take calls."""
        self._wire.start()

    def _received(self, frame: dict[str, Any]) -> None:
        """Take a call. It runs in the thread that receives frames, because the loop may be blocked when the call is cancelled."""
        signal = self._signals[frame["id"]] = Signal()
        self._loop.call_soon_threadsafe(self._begin, frame, signal)

    def _begin(self, frame: dict[str, Any], signal: Signal) -> None:
        self._tasks[frame["id"]] = self._loop.create_task(self._run(frame, signal))

    def _cancel(self, call: int) -> None:
        """Cancel a call. It runs in the thread that receives frames. A call that was answered already is not known any more."""
        signal = self._signals.get(call)
        if signal is not None:
            signal.cancel(self._loop)
            self._loop.call_soon_threadsafe(self._loop.call_later, CANCEL_GRACE, self._interrupt, call)

    def _interrupt(self, call: int) -> None:
        task = self._tasks.get(call)
        if task is not None:
            task.cancel()

    async def _run(self, frame: dict[str, Any], signal: Signal) -> None:
        try:
            os.environ.update(frame.get("env") or {})
            result = await getattr(self, "_call_" + frame["call"])(frame, signal)
        except Failure as failure:
            self._wire.fail(frame["id"], failure)
        except asyncio.CancelledError:
            self._wire.fail(frame["id"], Failure("the call was cancelled"))
        except BaseException as error:
            # Not only exceptions: whatever ends the call must not leave it without an answer.
            self._log.exception("a call failed")
            self._wire.fail(frame["id"], Failure(self._explained(error)))
        else:
            self._wire.answer(frame["id"], result)
        finally:
            self._signals.pop(frame["id"], None)
            self._tasks.pop(frame["id"], None)

    async def _call_load(self, frame: dict[str, Any], _: Signal) -> Any:
        given = frame["load"]
        if given["protocol"] != PROTOCOL:
            raise Failure(f"aura speaks version {given['protocol']} of the protocol of guests, and this runner version {PROTOCOL}", "load")
        self._log = log.logger(given["name"])
        self._metadata = Metadata(self._wire, self._session, self._log)
        self._api = Registration(given["name"])
        self._bus = self._api.events = Bus(given["name"], self._wire, self._loop)
        try:
            await run_here(await run_here(self._extension.register), self._api)
            return self._exports()
        except Failure as failure:
            raise Failure(str(failure), "load") from failure
        except Exception as error:
            self._log.exception("the extension could not be loaded")
            raise Failure(self._explained(error), "load") from error

    def _exports(self) -> dict[str, Any]:
        api, warnings = self._api, []
        for name in api._event_handlers:
            if name not in LIFECYCLE_EVENTS:
                warnings.append(f"there is no event {name!r}; the events are {', '.join(LIFECYCLE_EVENTS)}")
        if api._panels:
            warnings.append("aura shows no panels")
        source = self._extension.study()
        warnings += [f"it imports {absent}" for absent in load.absent(source.imports)]
        events = {name for name in LIFECYCLE_EVENTS if api._event_handlers.get(name) or self._bus.handled(name)}
        registered = [name for name in LIFECYCLE_EVENTS if name in events]
        if source.answers:
            # The history has the model's thinking and the reports of providers only if the runner sees each answer.
            events.add("after_turn")
        if "after_turn" in events:
            # The tokens of an answer are those that the session did not have before.
            events.add("session_start")
        api.loaded({name for name in LIFECYCLE_EVENTS if POINTS[name] in {POINTS[event] for event in events}})
        return {
            "hooks": sorted({POINTS[name] for name in events}),
            "events": registered,
            "tools": _tools(api._tools, warnings),
            "commands": [{"name": name, "description": str(text or "")} for name, (text, _) in api._commands.items()],
            "listens": self._bus.loaded(),
            "emits": sorted(source.emits.difference(LIFECYCLE_EVENTS)),
            "asks_lists": True,
            "system_prompt": "\n\n".join(str(part) for part in api._system_prompt_parts),
            "warnings": warnings,
        }

    async def _call_hook(self, frame: dict[str, Any], signal: Signal) -> Any:
        point, context = frame["point"], frame["context"]
        ctx = await self._context(frame["id"], context["Context"], Hooks.state(point, context), signal, asking=point in ASKING)
        failures: list[Exception] = []
        _failures.set(failures)
        try:
            result = await self._hooks.call(point, context, ctx)
        finally:
            await self._metadata.save()
        # A call that is blocked needs no further handler. Messages are replaced as a whole, and a failure would drop what other plugins made of
        # them.
        if failures and point != "TransformMessages" and not (result and result.get("Block")):
            raise Failure(self._explained(failures[0]), result=result) from failures[0]
        return result

    async def _call_execute(self, frame: dict[str, Any], signal: Signal) -> Any:
        spec = next((spec for spec in self._api._tools if spec.name == frame["tool"]), None)
        if spec is None or spec.handler is None:
            raise Failure(f"the extension has no tool {frame['tool']!r}", "unsupported")
        ctx = await self._context(frame["id"], frame["context"], AgentState.RUNNING, signal)
        result = await self._guarded(f"tool {spec.name}", spec.handler, **tool_arguments(spec.handler, exact.arguments(frame.get("args") or {}), ctx))
        return exact.tree("" if result is None else str(result))

    async def _call_command(self, frame: dict[str, Any], signal: Signal) -> Any:
        if frame["command"] not in self._api._commands:
            raise Failure(f"the extension has no command {frame['command']!r}", "unsupported")
        handler = self._api._commands[frame["command"]][1]
        ctx = await self._context(frame["id"], frame["context"], AgentState.IDLE, signal)
        lines: list[str] = []
        log.command_lines.set(lines)
        result = await self._guarded(f"command {frame['command']}", handler, *positional(handler, frame.get("args") or "", ctx))
        log.command_lines.set(None)
        # Extensions often answer with their logger alone.
        return {"Output": exact.tree("\n".join(lines) if result is None else str(result))}

    async def _call_paths(self, frame: dict[str, Any], _: Signal) -> Any:
        raise Failure(f"tool {frame['tool']!r} does not say which files it touches", "unsupported")

    async def _call_event(self, frame: dict[str, Any], _: Signal) -> Any:
        await self._bus.deliver(frame["event"], frame.get("payload"))
        if self._session.session_id:
            await self._metadata.save()
        return None

    async def _context(self, call: int, context: dict[str, Any], state: AgentState, signal: Signal, asking: bool = False) -> ExtensionContext:
        self._session._follow(call, context, state, asking)
        await self._metadata.load(context.get("SessionID") or "")
        return ExtensionContext(session=self._session, config=Config(context), signal=signal, logger=self._log)

    async def _guarded(self, doing: str, function: Any, *args: Any, **named: Any) -> Any:
        """Call a handler whose failure is that of the call."""
        try:
            return await invoke(function, *args, **named)
        except Failure:
            raise
        except Exception as error:
            self._log.exception("%s failed", doing)
            raise Failure(self._explained(error)) from error
        finally:
            await self._metadata.save()

    async def _fire(self, name: str, event: Any, ctx: ExtensionContext, take: Any = None) -> Any:
        """Call the handlers of an event in order, and return what they made of it. A handler that fails is logged, and the next one runs. What
        the failed one changed in place remains."""
        first = event
        for handler in tuple(self._api._event_handlers.get(name, ())):
            try:
                result = await invoke(handler, event, ctx)
            except Ended:
                raise
            except Exception as error:
                self._failed(name, error)
                result = None
            try:
                event = take(event, result) if take else event
            except Exception as error:
                self._failed(name, error)
            if isinstance(event, BlockResult):
                break
        if self._bus.handled(name):
            await self._bus.deliver(name, first if isinstance(event, BlockResult) else event)
        return event

    def _failed(self, name: str, error: Exception) -> None:
        """Log the failure of a handler. It is that of the call, too."""
        self._log.error("a handler of %s failed", name, exc_info=error)
        _failures.get().append(error)

    def _explained(self, error: BaseException) -> str:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return text + log.place(error, self._extension.root) + load.missing(error)


def _tools(specs: list[ToolSpec], warnings: list[str]) -> list[dict[str, Any]]:
    """The tools as aura reads them. One that cannot be used is left out, because the extension may be a guard, too."""
    out = []
    for spec in specs:
        try:
            out.append(_tool(spec))
        except (TypeError, ValueError, OverflowError) as error:
            warnings.append(f"{error}; it is left out")
    return out


def _tool(spec: ToolSpec) -> dict[str, Any]:
    if not isinstance(spec.name, str) or not spec.name:
        raise TypeError(f"a tool needs a name, not {spec.name!r}")
    if not callable(spec.handler):
        raise TypeError(f"tool {spec.name!r} has no handler")
    try:
        timeout = float(spec.timeout_s or 0)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"tool {spec.name!r}: timeout_s is no number of seconds: {error}") from error
    if not math.isfinite(timeout):
        raise TypeError(f"tool {spec.name!r}: timeout_s is no number of seconds: {timeout}")
    try:
        schema = dict(spec.input_schema or {})
        schema.setdefault("type", "object")
        json.dumps(schema, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"tool {spec.name!r}: input_schema is no JSON: {error}") from error
    return {
        "name": spec.name,
        "description": str(spec.description or ""),
        "parameters": schema,
        "side_effects": [effect.value for effect in spec.side_effects],
        "requires_approval": bool(spec.requires_approval),
        "timeout_s": timeout,
        "parallel": True,
    }
