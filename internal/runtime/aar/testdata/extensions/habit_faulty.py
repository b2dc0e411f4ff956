"""Registers what cannot be used beside a guard, and imports what aura does not provide."""

import importlib
from typing import TYPE_CHECKING

from agent import extensions
from agent.core import events
from agent.extensions.api import *  # noqa: F403

if TYPE_CHECKING:
    from agent.core.config import AgentConfig


def optional():
    from agent.core.events import Nothing, ToolCall
    from agent.memory.session_store import SessionStore

    importlib.import_module("agent.core.loop")


def register(api):
    @api.on("tool_call")
    def guard(event, ctx):
        return api.block("guarded")

    @api.command("two words")
    def bad(args, ctx):
        return "never"

    @api.command("good")
    def good(args, ctx):
        return "good"

    @api.tool("set", "", {"x": {1}})
    def no_json():
        return "never"

    @api.tool("slow", "", {}, timeout_s=-1)
    def slow():
        return "never"

    for text in ("first", "last"):
        api.tool("twice", text, {})(lambda text=text: text)

    @api.on("session_start")
    def connect(event, ctx):
        try:
            from agent.extensions.mcp import MCPBridge  # noqa: F401
        except ImportError:
            ctx.logger.warning("'mcp' package not installed")
