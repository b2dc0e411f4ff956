"""What handlers see of the session and of the settings."""

from __future__ import annotations

import asyncio
import json
import logging
import uuid
from collections import deque
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agent.core.events import AssistantMessage, Event, ProviderMeta, ReasoningBlock, SessionEvent, ToolCall, ToolResult, UserMessage
from agent.core.model import Model
from agent.core.state import AgentState
from aura_runner import names
from aura_runner.wire import Failure, Wire

# The prefix of the keys under which aura keeps the metadata.
_METADATA = "metadata/"

# How many blocks of the model's thinking, and how many reports of providers, are kept.
_MOST_REASONING, _MOST_REPORTS = 100, 1000


class Session(Model):
    """The session as aura described it with the newest call. An extension may keep the object: it follows the session."""

    def __init__(self, lists: Callable[[int], dict[str, Any]]) -> None:
        self.state = AgentState.IDLE
        # Whatever an extension writes here is kept with the session.
        self.metadata: dict[str, Any] = {}
        self._context: dict[str, Any] = {}
        # aura sends the history only if somebody reads it.
        self._ask_lists, self._call = lists, 0
        # The lists of a call, with its number. Handlers in threads read them while the next call begins.
        self._lists: tuple[int, dict[str, Any]] | None = None
        # The model's thinking, which aura's contexts do not repeat.
        self._reasoning: deque[ReasoningBlock] = deque(maxlen=_MOST_REASONING)
        # What providers reported, one for each answer that this process saw.
        self._reports: deque[ProviderMeta] = deque(maxlen=_MOST_REPORTS)
        # How many tokens the session had used when it was last seen; None before that.
        self._seen: tuple[int, int] | None = None
        # Whether the context is that of a model call that is not counted yet.
        self._asking = False

    def _follow(self, call: int, context: dict[str, Any], state: AgentState, asking: bool = False) -> None:
        if context.get("SessionID") != self._context.get("SessionID") and self._context.get("SessionID"):
            self._reasoning.clear()
            self._reports.clear()
            self._seen = None
        if self._context:
            self._seen = self.total_input_tokens, self.total_output_tokens
        self._context, self.state, self._asking = context, state, asking
        self._call = call

    def _fields(self) -> dict[str, Any]:
        return {
            name: getattr(self, name)
            for name in (
                "session_id", "run_id", "trace_id", "state", "events", "step_count", "metadata", "total_input_tokens", "total_output_tokens", "total_cost",
            )
        }

    def _answered(self) -> ProviderMeta:
        """Report the answer that the newest context counts for the first time. Its tokens are those that the session used since it was last
        seen; of the first answer that a process sees in an older session, aura tells the input only."""
        used = self.total_input_tokens, self.total_output_tokens
        if self._seen is not None:
            before = self._seen
        elif self.step_count <= 1:
            before = 0, 0
        else:
            before = used[0] - ((self._context.get("Tokens") or {}).get("LastAPI") or 0), used[1]
        usage = {"input_tokens": max(0, used[0] - before[0]), "output_tokens": max(0, used[1] - before[1])}
        report = ProviderMeta(provider=self._context.get("Provider") or "", model=_model(self._context), usage=usage)
        self._reports.append(report)
        return report

    def _history(self, name: str) -> list[dict[str, Any]]:
        call, known = self._call, self._lists
        if known is None or known[0] != call:
            known = self._lists = call, self._ask_lists(call)
        return known[1][name] or []

    def _thought(self, text: str) -> None:
        self._reasoning.append(ReasoningBlock(content=text))

    @property
    def _stats(self) -> dict[str, Any]:
        return self._context.get("Stats") or {}

    @property
    def session_id(self) -> str:
        return self._context.get("SessionID") or self.trace_id

    @property
    def trace_id(self) -> str:
        """The same in one session of one run of aura."""
        return uuid.uuid5(uuid.NAMESPACE_OID, f"{self._context.get('SessionID')} {self._stats.get('StartTime')}").hex

    @property
    def run_id(self) -> str:
        """The same from a prompt to the end of the work on it."""
        return uuid.uuid5(uuid.NAMESPACE_OID, f"{self.trace_id} {self._stats.get('Interactions')}").hex

    @property
    def step_count(self) -> int:
        """The model calls of the session, with the one that is about to be made."""
        return (self._stats.get("Turns") or 0) + self._asking

    @property
    def total_input_tokens(self) -> int:
        return self._stats.get("TokensIn") or 0

    @property
    def total_output_tokens(self) -> int:
        return self._stats.get("TokensOut") or 0

    @property
    def total_tokens(self) -> int:
        return self.total_input_tokens + self.total_output_tokens

    @property
    def total_cost(self) -> float:
        """US dollars; 0 if aura does not know the price."""
        return self._context.get("CostUSD") or 0.0

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [{"role": turn["Role"], "content": turn["Content"]} for turn in self._history("Turns")]

    def to_messages(self) -> list[dict[str, Any]]:
        return self.messages

    @property
    def events(self) -> list[Event]:
        """The history, rebuilt from what aura keeps of it. The model's thinking and the tool calls come together, before the last
        answer."""
        start = _seconds(self._stats.get("StartTime"))
        texts: list[Event] = []
        for i, turn in enumerate(self._history("Turns")):
            kind = UserMessage if turn["Role"] == "user" else AssistantMessage
            texts.append(kind(id=f"turn-{i}", timestamp=start, content=turn["Content"]))
        tools: list[Event] = []
        for i, call in enumerate(self._history("ToolHistory")):
            name, number = names.tool(call["Name"]), f"call-{i}"
            arguments = names.calls(call["Name"], call["Args"])[0]
            tools.append(ToolCall(id=f"{number}-call", timestamp=start, tool_name=name, tool_call_id=number, arguments=arguments))
            tools.append(tool_result(call["Name"], number, call["Result"], call["Error"], call["Duration"], id=f"{number}-result", timestamp=start))
        last = len(texts) - 1 if texts and isinstance(texts[-1], AssistantMessage) else len(texts)
        before = [SessionEvent(id="session", timestamp=start, action="started"), *texts[:last], *self._reasoning, *tools]
        return [*before, *texts[last:], *self._all_reports(start)]

    def _all_reports(self, start: float | None) -> list[ProviderMeta]:
        """One report for each answer, and one for all answers that this process did not see."""
        used = {"input_tokens": self.total_input_tokens, "output_tokens": self.total_output_tokens}
        for report in self._reports:
            for name in used:
                used[name] -= report.usage[name]
        if used["input_tokens"] <= 0 and used["output_tokens"] <= 0:
            return list(self._reports)
        rest = ProviderMeta(id="usage", timestamp=start, provider=self._context.get("Provider") or "", model=_model(self._context), usage=used)
        return [rest, *self._reports]


def tool_result(name: str, call: str, output: str, error: str, duration: int, **more: Any) -> ToolResult:
    """The event of a tool that ran. duration is in nanoseconds."""
    text = "\n".join(part for part in (output, error) if part)
    more.setdefault("is_error", bool(error))
    return ToolResult(tool_name=names.tool(name), tool_call_id=call, output=text, duration_ms=duration / 1e6, **more)


def _seconds(text: Any) -> float | None:
    """The time of a text in RFC 3339, in seconds since 1970; None for none."""
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp()) or None
    except (TypeError, ValueError):
        return None


def _model(context: dict[str, Any]) -> str:
    return (context.get("ModelInfo") or {}).get("Name") or ""


class Metadata:
    """Keeps the metadata of a session in aura's state."""

    def __init__(self, wire: Wire, session: Session, logger: logging.Logger) -> None:
        self._wire, self._session, self._logger = wire, session, logger
        # The session that the metadata belongs to; None before it was read.
        self._of: str | None = None
        # What aura has, by key, as JSON.
        self._kept: dict[str, str] = {}
        self._refused: set[str] = set()
        # Calls side by side read and write one after the other.
        self._lock = asyncio.Lock()

    async def load(self, session: str) -> None:
        """Read what aura has, if the session is another one than before. A session that is not saved yet has no name."""
        async with self._lock:
            await self._load(session)

    async def _load(self, session: str) -> None:
        if self._of == session:
            return
        if self._of == "":
            # The session was saved now, in another place: everything is written again.
            self._of = session
            self._kept.clear()
            return
        previous, self._of = self._of, session
        if previous is not None:
            self._session.metadata.clear()
        self._kept.clear()
        self._refused.clear()
        try:
            found = await self._state("list", _METADATA)
            for key in found["keys"] or ():
                value = await self._state("get", key)
                if value["found"]:
                    name = key[len(_METADATA) :]
                    self._kept[name] = value["value"]
                    self._session.metadata.setdefault(name, json.loads(value["value"]))
        except (Failure, ValueError) as error:
            self._logger.debug("reading session.metadata: %s", error)

    async def save(self) -> None:
        """Write what changed since the last time."""
        async with self._lock:
            await self._save()

    async def _save(self) -> None:
        if not self._session.metadata and not self._kept:
            return
        now: dict[str, str] = {}
        for name, value in list(self._session.metadata.items()):
            try:
                now[str(name)] = json.dumps(value)
            except (TypeError, ValueError, RecursionError) as error:
                self._refuse(str(name), str(error))
            except RuntimeError:
                # Another call changes the value at this moment. That call writes it.
                if str(name) in self._kept:
                    now[str(name)] = self._kept[str(name)]
        for name in [name for name in self._kept if name not in now and name not in self._refused]:
            await self._change("delete", name)
        for name, text in now.items():
            if self._kept.get(name) != text:
                await self._change("set", name, text)

    async def _change(self, op: str, name: str, text: str = "") -> None:
        try:
            await self._state(op, _METADATA + name, text)
        except Failure as error:
            self._refuse(name, str(error))
            return
        self._refused.discard(name)
        if op == "set":
            self._kept[name] = text
        else:
            self._kept.pop(name, None)

    def _refuse(self, name: str, why: str) -> None:
        """Report a value that is not kept, once."""
        if name not in self._refused:
            self._refused.add(name)
            self._logger.warning("session.metadata[%r] is lost when the extension ends: %s", name, why)

    async def _state(self, op: str, key: str, value: str = "") -> Any:
        return await self._wire.ask("state", op=op, scope="session", key=key, value=value)
