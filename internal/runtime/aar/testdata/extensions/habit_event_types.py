"""Compares the types of events with texts and with their values."""

from agent.core.events import EventType, ToolCall, ToolResult


def register(api):
    seen = []

    def note(event, ctx):
        seen.append(
            f"{event.type.value} {event.type == event.type.value} {isinstance(event.type, EventType)} "
            f"{bool(event.id)} {isinstance(event.timestamp, float)} {event.data}"
        )

    for name in ("session_start", "user_message", "before_turn", "after_turn", "assistant_message", "tool_call", "tool_result", "error", "session_end"):
        api.on(name)(note)

    @api.on("tool_call")
    def same(event, ctx):
        seen.append(f"{isinstance(event, ToolCall)} {event.tool_name} {event.tool_call_id} {event.arguments}")

    @api.on("tool_result")
    def result(event, ctx):
        seen.append(f"{isinstance(event, ToolResult)} {event.tool_name} {event.tool_call_id} {event.is_error} {event.duration_ms}")

    @api.tool("seen", "", {"type": "object"})
    def report():
        text = "\n".join(seen)
        seen.clear()
        return text
