"""Changes events and raises."""


def register(api):
    @api.on("tool_call")
    def rewrite(event, ctx):
        if "command" in event.arguments:
            event.arguments["command"] = "set -e; " + event.arguments["command"]

    @api.on("tool_call")
    def broken(event, ctx):
        raise RuntimeError("broken")

    @api.on("tool_call")
    def append(event, ctx):
        if "command" in event.arguments:
            event.arguments["command"] += "; true"

    @api.on("tool_result")
    def redact(event, ctx):
        event.output = event.output.replace("secret", "***")
        raise RuntimeError("broken")

    @api.on("tool_result")
    def capitalize(event, ctx):
        return event.capitalize()

    @api.on("user_message")
    def polite(event, ctx):
        return event.content + ", please"

    @api.on("user_message")
    def loud(event, ctx):
        event.content += "!"
        raise RuntimeError("broken")

    @api.on("before_turn")
    def turn(event, ctx):
        raise RuntimeError("broken")
