"""Writes to the metadata of the session."""


def register(api):
    @api.on("tool_call")
    def count(event, ctx):
        counts = ctx.session.metadata.setdefault("counts", {})
        counts[event.tool_name] = counts.get(event.tool_name, 0) + 1

    @api.tool("counts", "", {"type": "object"})
    def counts(ctx):
        return ctx.session.metadata.get("counts", {})

    @api.tool("forget", "", {"type": "object"})
    def forget(ctx):
        ctx.session.metadata.clear()

    @api.tool("odd", "", {"type": "object"})
    def odd(ctx):
        ctx.session.metadata["odd"] = object()
        ctx.session.metadata["even"] = 2
