"""Reads every attribute of the session and of the settings."""


def register(api):
    kept = []

    @api.on("session_start")
    def keep(event, ctx):
        kept.append(ctx.session)

    @api.tool("numbers", "", {"type": "object"})
    def numbers(ctx):
        s = ctx.session
        return (
            f"{s.session_id} {s.step_count} {s.total_input_tokens}+{s.total_output_tokens}={s.total_tokens} {s.total_cost} {s.state.value} "
            f"{s.state == 'running'} {len(s.run_id)} {len(s.trace_id)} {s.run_id != s.trace_id}"
        )

    @api.tool("texts", "", {"type": "object"})
    def texts(ctx):
        return f"{ctx.session.messages} {ctx.session.to_messages() == ctx.session.messages}"

    @api.tool("kinds", "", {"type": "object"})
    def kinds(ctx):
        return " ".join(event.type.value for event in ctx.session.events)

    @api.tool("usage", "", {"type": "object"})
    def usage(ctx):
        total = 0
        for event in ctx.session.events:
            if event.type == "provider_meta":
                total += event.usage["input_tokens"] + event.usage.get("output_tokens", 0)
            if event.type == "reasoning":
                total += len(event.content)
        return total

    @api.tool("live", "", {"type": "object"})
    def live(ctx):
        return f"{kept[0].step_count} {kept[0] is ctx.session}"

    @api.tool("settings", "", {"type": "object"})
    def settings(ctx):
        provider = ctx.config.provider
        return f"{provider.name} {provider.model} {ctx.config.model} {ctx.config.resolve_provider().extra}"
