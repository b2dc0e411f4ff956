"""Messages between handlers, and lifecycle events on the bus."""

from dataclasses import dataclass


@dataclass
class Note:
    text: str


def register(api):
    heard = []

    @api.events.on("bus:note")
    def plain(payload):
        heard.append(f"plain {payload}")

    @api.events.on("bus:note")
    async def patient(payload):
        heard.append(f"patient {payload}")

    @api.events.on("other:news")
    async def news(payload):
        heard.append(f"news {payload}")
        api.events.emit("bus:heard", {"news": payload})

    @api.events.on("tool_call")
    def lifecycle(event):
        heard.append(f"lifecycle {event.tool_name}")

    @api.events.on("other:bad")
    def bad(payload):
        raise RuntimeError("bad news")

    @api.tool("note", "", {"type": "object"})
    async def note(text):
        await api.events.emit_async("bus:note", text)
        api.events.emit("bus:object", Note(text))
        return ", ".join(heard)

    @api.tool("later", "", {"type": "object"})
    def later():
        @api.events.on("other:later")
        def more(payload):
            heard.append(f"later {payload}")
