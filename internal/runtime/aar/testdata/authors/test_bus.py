"""The bus of an extension."""

import asyncio
import unittest

from agent.extensions.api import ExtensionAPI


class Bus(unittest.TestCase):
    def setUp(self):
        self.api = ExtensionAPI(name="caller")
        self.heard = []

        @self.api.events.on("ring")
        def plain(payload):
            self.heard.append(("plain", payload))

        @self.api.events.on("ring")
        async def patient(payload):
            await asyncio.sleep(0)
            self.heard.append(("patient", payload))

    def test_emit_outside_of_a_loop(self):
        self.api.events.emit("ring", 1)
        self.assertEqual(self.heard, [("plain", 1), ("patient", 1)])

    def test_emit_schedules(self):
        async def main():
            self.api.events.emit("ring", {"n": 1})
            before = list(self.heard)
            while len(self.heard) < 2:
                await asyncio.sleep(0)
            return before

        self.assertEqual(asyncio.run(main()), [("plain", {"n": 1})])
        self.assertEqual(self.heard[1], ("patient", {"n": 1}))

    def test_emit_async_waits(self):
        asyncio.run(self.api.events.emit_async("ring"))
        self.assertEqual(self.heard, [("plain", None), ("patient", None)])

    def test_nobody_listens(self):
        self.api.events.emit("nothing", 1)
        self.assertEqual(self.heard, [])

    def test_a_failure_is_logged(self):
        @self.api.events.on("fall")
        def down(payload):
            raise RuntimeError("ouch")

        @self.api.events.on("fall")
        async def later(payload):
            raise RuntimeError("later")

        @self.api.events.on("fall")
        def up(payload):
            self.heard.append("up")

        with self.assertLogs("aar.ext.caller", "ERROR") as logs:
            asyncio.run(self.api.events.emit_async("fall"))
        self.assertEqual(self.heard, ["up"])
        self.assertEqual(len(logs.records), 2)
        self.assertIn("ouch", logs.output[0])
