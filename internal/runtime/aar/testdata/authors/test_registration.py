"""What register leaves behind, looked at as authors of extensions do."""

import asyncio
import unittest
from unittest.mock import MagicMock

from agent.core.events import ToolCall
from agent.extensions.api import BlockResult, ExtensionAPI, ExtensionAPIProtocol, ExtensionContext
from agent.tools.schema import SideEffect, ToolSpec


def register(api, *, greeting="Good day"):
    @api.on("tool_call")
    def guard(event, ctx):
        if event.arguments.get("path", "").endswith(".key"):
            return api.block("keys stay closed")
        return None

    @api.on("session_start")
    async def begin(event, ctx):
        ctx.logger.info("it begins: %s", event.action)

    @api.tool("salute", "Salute somebody", {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]})
    async def salute(who, ctx):
        return f"{greeting}, {who}."

    @api.tool("ship", "Ship it", {"type": "object"}, side_effects=["network", SideEffect.EXECUTE], requires_approval=True, timeout_s=2.5)
    def ship(**kwargs):
        return "shipped"

    @api.command("/hum", description="Hum a tune")
    def hum(args, ctx):
        return "hm " * len(args.split())

    api.append_system_prompt("Be polite.")
    api.append_system_prompt("Be brief.")
    api.register_panel(object())


class Registered(unittest.TestCase):
    def setUp(self):
        self.api = ExtensionAPI(name="polite")
        register(self.api)

    def test_handlers(self):
        self.assertEqual(sorted(self.api._event_handlers), ["session_start", "tool_call"])
        self.assertEqual(len(self.api._event_handlers["tool_call"]), 1)
        self.assertNotIn("error", self.api._event_handlers)

    def test_block(self):
        guard = self.api._event_handlers["tool_call"][0]
        blocked = guard(ToolCall(tool_name="read_file", arguments={"path": "a.key"}), MagicMock())
        self.assertEqual(blocked, BlockResult("keys stay closed"))
        self.assertEqual(blocked.reason, "keys stay closed")
        self.assertIsNone(guard(ToolCall(tool_name="read_file", arguments={"path": "a.txt"}), MagicMock()))
        self.assertIsInstance(ExtensionAPI.block("x"), BlockResult)

    def test_tools(self):
        salute, ship = self.api._tools
        self.assertIsInstance(salute, ToolSpec)
        self.assertEqual((salute.name, salute.description, salute.side_effects, salute.requires_approval, salute.timeout_s),
                         ("salute", "Salute somebody", [SideEffect.NONE], False, None))
        self.assertEqual(asyncio.run(salute.handler(who="Ada", ctx=None)), "Good day, Ada.")
        self.assertEqual((ship.side_effects, ship.requires_approval, ship.timeout_s), ([SideEffect.NETWORK, SideEffect.EXECUTE], True, 2.5))
        self.assertEqual(ship.handler(anything=1), "shipped")

    def test_commands(self):
        description, handler = self.api._commands["hum"]
        self.assertEqual((description, handler("a b", None)), ("Hum a tune", "hm hm "))

    def test_prompt_and_panels(self):
        self.assertEqual(self.api._system_prompt_parts, ["Be polite.", "Be brief."])
        self.assertEqual(len(self.api._panels), 1)

    def test_names(self):
        self.assertEqual(self.api.name, "polite")
        self.assertIsInstance(self.api, ExtensionAPIProtocol)

    def test_context_is_frozen(self):
        ctx = ExtensionContext(session=None, config=None, signal=asyncio.Event(), logger=MagicMock())
        self.assertFalse(ctx.signal.is_set())
        with self.assertRaises(AttributeError):
            ctx.session = 1


class Mistakes(unittest.TestCase):
    def test_unknown_event_warns(self):
        api = ExtensionAPI(name="odd")
        with self.assertLogs("aar.ext.odd", "WARNING") as logs:
            @api.on("tool_cal")
            def handler(event, ctx):
                return None
        self.assertIn("tool_cal", logs.output[0])
        self.assertIs(api._event_handlers["tool_cal"][0], handler)

    def test_tool_twice(self):
        api = ExtensionAPI(name="odd")
        for text in ("first", "last"):
            api.register_tool(ToolSpec("one", description=text, handler=lambda: ""))
        self.assertEqual([spec.description for spec in api._tools], ["last"])

    def test_unknown_side_effect(self):
        with self.assertRaisesRegex(ValueError, "'magic' is no side effect; use one of none, read"):
            ToolSpec(name="one", side_effects=["magic"])

    def test_insides_of_aar(self):
        for module in ("agent.extensions.mcp", "agent.memory.session_store"):
            with self.assertRaises(ImportError):
                __import__(module)
        with self.assertRaisesRegex(ImportError, "aura connects MCP servers itself"):
            __import__("agent.extensions.mcp")

    def test_package_exports(self):
        import agent.extensions as package

        self.assertIs(package.ExtensionAPI, ExtensionAPI)

    def test_ui_names_exist(self):
        from agent.extensions.api import UIAction, UIInvocation, UINode, UIPanel, run_ui_action, run_ui_snapshot

        panel = UIPanel(title="Log", nodes=[UINode("text", text="x")], actions=[UIAction(name="clear")])
        self.assertEqual((panel.title, panel.nodes[0].text, UIInvocation(action="clear").action), ("Log", "x", "clear"))
        self.assertIsNone(asyncio.run(run_ui_action(panel, "clear")))
        self.assertIsNone(asyncio.run(run_ui_snapshot(panel)))
