"""Event objects: attributes, types, and events that serve as their text."""

import copy
import json
import unittest

from agent.core import events


class Events(unittest.TestCase):
    def test_common(self):
        one, two = events.ErrorEvent(message="m"), events.ErrorEvent()
        self.assertNotEqual(one.id, two.id)
        self.assertIsInstance(one.timestamp, float)
        self.assertEqual((one.data, one.message, one.recoverable), ({}, "m", True))
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

    def test_set_in_place(self):
        event = events.ToolResult(output="before", tool_name="t")
        self.assertIs(event.current(), event)
        event.output = "after"
        self.assertEqual((event.current(), event.current().id), ("after", event.id))

    def test_model_dump(self):
        event = events.AssistantMessage(id="1", timestamp=2.0, content="x", stop_reason=events.StopReason.END_TURN)
        want = {"id": "1", "type": "assistant_message", "timestamp": 2.0, "data": {}, "content": "x", "stop_reason": "end_turn"}
        self.assertEqual(event.model_dump(), want)
        self.assertEqual(event.model_dump(include={"content"}), {"content": "x"})
        self.assertEqual(set(event.model_dump(exclude={"content", "data"})), {"id", "type", "timestamp", "stop_reason"})
        self.assertIs(type(event.model_dump(mode="json")["stop_reason"]), str)
        self.assertEqual(json.loads(event.model_dump_json()), want)
        again = events.deserialize_event(json.loads(event.model_dump_json()))
        self.assertEqual((type(again), again.model_dump()), (events.AssistantMessage, want))
        self.assertNotIn("stop_reason", events.AssistantMessage().model_dump(exclude_none=True))
        self.assertEqual(event.model_copy(update={"content": "y"}).content, "y")
        self.assertEqual(events.ToolResult(output="o").model_dump()["output"], "o")

    def test_blocks(self):
        image = events.ImageURLBlock(image_url=events.ImageURL(url="data:x"))
        message = events.UserMessage(content="x", parts=[events.TextBlock(text="x"), image])
        self.assertEqual(
            [part.model_dump(exclude_none=True) for part in message.parts],
            [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "data:x"}}],
        )
        self.assertIsInstance(image, events.ContentBlock)
        with self.assertRaisesRegex(TypeError, "TextBlock needs text"):
            events.TextBlock()

    def test_responses(self):
        from agent.core.state import AgentState
        from agent.providers.base import ProviderResponse

        self.assertEqual((ProviderResponse().tool_calls, ProviderResponse().meta, AgentState.CANCELLED), ([], None, "cancelled"))
        self.assertEqual((events.StopReason("tool_use").value, events.ProviderMeta().request_id), ("tool_use", ""))
        self.assertTrue(events.ToolCall().tool_call_id)

    def test_multimodal(self):
        self.assertFalse(events.UserMessage(content="x").is_multimodal)
        self.assertTrue(events.UserMessage(content="x", parts=[{"type": "image"}]).is_multimodal)
