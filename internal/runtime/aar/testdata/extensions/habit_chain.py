"""Handlers of one chain, some written for the event and some for its text."""


def register(api):
    @api.on("user_message")
    def by_attribute(event, ctx):
        return event.content.replace("colour", "color")

    @api.on("user_message")
    def nothing(event, ctx):
        return None

    @api.on("user_message")
    async def as_text(event, ctx):
        return event.upper() + f" ({len(event)})"

    @api.on("tool_result")
    def mask(event, ctx):
        if "key=" in event.output:
            return event.output.split("key=")[0] + "key=***"

    @api.on("tool_result")
    def count(event, ctx):
        return f"{event} [{len(event.split())} words]"
