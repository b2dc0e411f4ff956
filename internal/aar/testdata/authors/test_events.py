"""Event objects: attributes, types, and events that serve as their text."""

import copy
import unittest

from agent.core import events


class Events(unittest.TestCase):
    def test_common(self):
        one, two = events.ErrorEvent(message="m"), events.ErrorEvent()
        self.assertNotEqual(one.id, two.id)
        self.assertIsInstance(one.timestamp, float)
        self.assertEqual((one.data, one.message, one.recoverable), ({}, "m", False))
        self.assertIsNot(one.data, two.data)

    def test_types(self):
        for cls, value in (
            (events.SessionEvent, "session"), (events.UserMessage, "user_message"), (events.AssistantMessage, "assistant_message"),
            (events.StreamChunk, "stream_chunk"), (events.ToolCall, "tool_call"), (events.ToolResult, "tool_result"),
            (events.ErrorEvent, "error"), (events.ProviderMeta, "provider_meta"), (events.ReasoningBlock, "reasoning"),
        ):
            event = cls()
            self.assertEqual((event.type, event.type.value, f"{event.type}"), (value, value, value))

    def test_defaults_are_not_shared(self):
        events.ToolCall().arguments["x"] = 1
        self.assertEqual(events.ToolCall().arguments, {})

    def test_unknown_attribute(self):
        with self.assertRaisesRegex(TypeError, "ToolCall has no attribute tool"):
            events.ToolCall(tool="bash")

    def test_text_events(self):
        for event, attribute in ((events.UserMessage(content="two words"), "content"), (events.ToolResult(output="two words", tool_name="t"), "output")):
            self.assertIsInstance(event, str)
            self.assertEqual((event.upper(), len(event.split()), f"{event}", event + "!", "two" in event),
                             ("TWO WORDS", 2, "two words", "two words!", True))
            self.assertEqual(getattr(event, attribute), "two words")
            changed = event.with_text("one")
            self.assertEqual((changed, getattr(changed, attribute), changed.id, changed.type), ("one", "one", event.id, event.type))
            copied = copy.deepcopy(event)
            self.assertEqual((copied, copied.id), (event, event.id))

    def test_multimodal(self):
        self.assertFalse(events.UserMessage(content="x").is_multimodal)
        self.assertTrue(events.UserMessage(content="x", parts=[{"type": "image"}]).is_multimodal)
