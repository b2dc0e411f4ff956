"""aura's hook points as events of extensions."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any

from agent.core.events import AssistantMessage, ErrorEvent, ReasoningBlock, SessionEvent, StopReason, StreamChunk, ToolCall, UserMessage
from agent.core.state import AgentState
from agent.extensions.api import BlockResult, ExtensionContext
from agent.providers.base import ProviderResponse
from aura_runner import exact, names, turn
from aura_runner.session import tool_result

# The hook point at which each event occurs.
POINTS = {
    "session_start": "SessionStart",
    "session_end": "SessionEnd",
    "before_turn": "TransformMessages",
    "after_turn": "AfterResponse",
    "user_message": "UserMessage",
    "tool_call": "BeforeToolExecution",
    "tool_result": "AfterToolExecution",
    "assistant_message": "AfterResponse",
    "stream_chunk": "StreamChunk",
    "error": "OnError",
}

# The points at which a model call is being made that aura has not counted yet.
ASKING = ("TransformMessages", "StreamChunk", "OnError")

# What the reasons for the end of a session leave as its state.
_ENDS = {
    "done": AgentState.COMPLETED,
    "interrupted": AgentState.CANCELLED,
    "timeout": AgentState.TIMED_OUT,
    "limit": AgentState.MAX_STEPS,
    "error": AgentState.ERROR,
}

# How many calls without a result are remembered.
_OPEN_CALLS = 256

# How the result of a failed call begins if an extension replaced it. What replaces the result replaces the error too.
_FAILED = "Error: "

# Calls the handlers of an event, and returns what they made of it.
Fire = Callable[..., Awaitable[Any]]


class Hooks:
    """Turns each hook call into events, and what handlers return into the result of the hook."""

    def __init__(self, fire: Fire) -> None:
        self._fire = fire
        self._count = 0
        # The ids of tool calls that have no result yet, by name and arguments.
        self._open: OrderedDict[tuple[str, str], deque[str]] = OrderedDict()

    async def call(self, point: str, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        return await getattr(self, point)(context, ctx)

    @staticmethod
    def state(point: str, context: dict[str, Any]) -> AgentState:
        """What the session is doing at a hook."""
        if point == "SessionEnd":
            return _ENDS.get(context["Reason"], AgentState.COMPLETED)
        return {"SessionStart": AgentState.IDLE, "OnError": AgentState.ERROR}.get(point, AgentState.RUNNING)

    async def SessionStart(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        await self._fire("session_start", SessionEvent(action="resumed" if context["Resumed"] else "started"), ctx)

    async def SessionEnd(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        await self._fire("session_end", SessionEvent(action="ended", data={"reason": context["Reason"]}), ctx)

    async def UserMessage(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        event = await self._fire("user_message", UserMessage(content=context["Content"]), ctx, _text)
        event = event.current()
        return None if event.content == context["Content"] else {"Content": exact.tree(event.content)}

    async def TransformMessages(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        sent = context["Messages"] or []
        system, rest = turn.split(sent)

        def take(event: turn.Messages, result: Any) -> turn.Messages:
            if not isinstance(result, (list, tuple)) or result is event:
                return event
            if not result:
                raise ValueError("before_turn returned no messages; they are sent as they were")
            nonlocal rest
            rest = turn.merge(rest, list(result))
            return turn.Messages([turn.shown({"ToolCalls": None, "ToolCallID": "", "ToolName": "", **message}) for message in rest])

        await self._fire("before_turn", turn.Messages([turn.shown(message) for message in rest]), ctx, take)
        return exact.tree(system + rest)

    async def AfterResponse(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        thinking, content = context["Thinking"], context["Response"]
        if thinking:
            ctx.session._thought(thinking)
        calls = [ToolCall(tool_name=names.tool(call["Name"]), arguments=exact.arguments(call["Args"] or {})) for call in context["Calls"] or ()]
        stop = StopReason.TOOL_USE if calls else StopReason.END_TURN
        response = ProviderResponse(
            content=content,
            tool_calls=calls,
            stop_reason=stop.value,
            reasoning=[ReasoningBlock(content=thinking)] if thinking else [],
            meta=ctx.session._answered(),
        )
        await self._fire("after_turn", response, ctx)
        # Answers that ask for tools are not messages.
        if not calls:
            await self._fire("assistant_message", AssistantMessage(content=content, stop_reason=stop), ctx)

    async def BeforeToolExecution(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        name, arguments = context["ToolName"], context["Arguments"] or {}
        number = self._opened(name, arguments)
        # Handlers may change the arguments in place.
        given = exact.arguments(arguments)
        current = exact.arguments(arguments)
        for shown in names.calls(name, arguments):
            # The path of a patch is there for handlers only.
            added = {key: value for key, value in shown.items() if key not in given or given[key] != value}
            event = ToolCall(tool_name=names.tool(name), tool_call_id=number, arguments={**current, **added})
            blocked = await self._fire("tool_call", event, ctx, _block)
            if isinstance(blocked, BlockResult):
                return {"Block": True, "Result": {"Message": exact.tree(str(blocked.reason))}}
            if isinstance(event.arguments, dict):
                hidden = {key: value for key, value in current.items() if key in added}
                current = {key: value for key, value in event.arguments.items() if key not in added} | hidden
        if current == given:
            return None
        changed = exact.floats(current)
        self._reopened(number, name, arguments, changed)
        return {"Arguments": exact.tree(changed)}

    async def AfterToolExecution(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        name = context["ToolName"]
        error = context["ToolError"]
        # aura's history has the arguments and the result of the call, usually at its end.
        history = context["Context"]["ToolHistory"] or []
        if (error or self._open) and not any(_same(call, context) for call in history):
            history = ctx.session._history("ToolHistory")
        results = [call["Result"] for call in history if _same(call, context)]
        # What replaces the result of a failed call replaces the error too.
        replaced = bool(results) and context["ToolResult"] not in results
        number = self._closed(context, history)
        text = context["ToolResult"].removeprefix(_FAILED) if error and replaced else context["ToolResult"]
        before = tool_result(name, number, text, "" if replaced else error, context["ToolDuration"], is_error=bool(error))
        original = before.output
        event = (await self._fire("tool_result", before, ctx, _text)).current()
        return None if event.output == original else {"Output": exact.tree((_FAILED if error else "") + event.output)}

    async def StreamChunk(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        for chunk in context["Chunks"] or ():
            event = StreamChunk(text=chunk["Text"], reasoning_text=chunk["Thinking"], finished=chunk["Finished"])
            await self._fire("stream_chunk", event, ctx)

    async def OnError(self, context: dict[str, Any], ctx: ExtensionContext) -> Any:
        event = ErrorEvent(message=context["Error"], recoverable=context["Retryable"], data={"type": context["ErrorType"]})
        await self._fire("error", event, ctx)

    def _opened(self, name: str, arguments: dict[str, Any] | None) -> str:
        """The id of a tool call that begins."""
        self._count += 1
        number = f"tool-{self._count}"
        self._open.setdefault(_key(name, arguments), deque(maxlen=_OPEN_CALLS)).append(number)
        while len(self._open) > _OPEN_CALLS:
            self._open.popitem(last=False)
        return number

    def _reopened(self, number: str, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Find the call by the arguments that a handler left."""
        waiting = self._open.get(_key(name, before))
        if waiting and number in waiting:
            waiting.remove(number)
            if not waiting:
                del self._open[_key(name, before)]
        self._open.setdefault(_key(name, after), deque(maxlen=_OPEN_CALLS)).append(number)

    def _closed(self, context: dict[str, Any], history: list[dict[str, Any]]) -> str:
        """The id of the tool call that a result belongs to. Another extension may have replaced the result since."""
        number = (self._find(context, history) or self._find(context, history, replaced=True)) if self._open else ""
        if not number:
            self._count += 1
            number = f"tool-{self._count}"
        return number

    def _find(self, context: dict[str, Any], history: list[dict[str, Any]], replaced: bool = False) -> str:
        for call in reversed(history):
            if _same(call, context) and (replaced or call["Result"] == context["ToolResult"]):
                key = _key(call["Name"], call["Args"])
                waiting = self._open.get(key)
                if waiting:
                    number = waiting.popleft()
                    if not waiting:
                        del self._open[key]
                    return number
        return ""


def _same(call: dict[str, Any], context: dict[str, Any]) -> bool:
    """Whether a call of the history can be the one that a result belongs to."""
    return call["Name"] == context["ToolName"] and call["Error"] == context["ToolError"]


def _key(name: str, arguments: dict[str, Any] | None) -> tuple[str, str]:
    return name, repr(sorted((arguments or {}).items()))


def _text(event: Any, result: Any) -> Any:
    """The event for the next handler of a chain. A handler returns another text, or sets it in place."""
    return event.with_text(str(result)) if isinstance(result, str) and result is not event else event.current()


def _block(event: Any, result: Any) -> Any:
    return result if isinstance(result, BlockResult) else event
