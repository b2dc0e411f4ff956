"""Changes events in place."""


def register(api):
    @api.on("tool_call")
    def rewrite(event, ctx):
        if "command" in event.arguments:
            event.arguments["command"] = "set -e; " + event.arguments["command"]

    @api.on("tool_call")
    def replace(event, ctx):
        if event.arguments.get("n") == 1:
            event.arguments = {"n": 2}
        if "patch" in event.arguments:
            event.arguments["patch"] += f"# {event.arguments['path']}\n"

    @api.on("tool_result")
    def redact(event, ctx):
        event.output = event.output.replace("secret", "***")

    @api.on("tool_result")
    def mark(event, ctx):
        if "***" in event.output:
            return event.output + f" {event.count('*')}"
        return None

    @api.on("user_message")
    def polite(event, ctx):
        event.content = event.content + ", please"
