def register(api):
    @api.on("tool_call")
    def guard(event, ctx):
        if "rm -rf" in event.arguments.get("command", ""):
            return api.block("guard: no")
        return None
