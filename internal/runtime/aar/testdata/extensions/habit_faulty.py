"""Registers what cannot be used beside a guard."""


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

    try:
        import agent.extensions.mcp  # noqa: F401
    except ImportError:
        pass
