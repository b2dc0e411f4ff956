"""Counts tokens by provider, as usage trackers do."""

import json

from agent.core.events import StopReason
from agent.extensions import ExtensionAPI


def register(api: ExtensionAPI):
    totals = {}
    log = []

    @api.on("before_turn")
    def before(messages, ctx):
        log.append(f"before {ctx.session.step_count}")

    @api.on("after_turn")
    def after(response, ctx):
        usage = response.meta.usage
        key = ctx.config.provider
        totals[key] = totals.get(key, 0) + usage["input_tokens"] + usage["output_tokens"]
        names = [call.tool_name for call in response.tool_calls]
        thoughts = [block.content for block in response.reasoning]
        log.append(f"after {ctx.session.step_count} {names} {thoughts} {response.stop_reason} {usage['input_tokens']}+{usage['output_tokens']}")

    @api.on("assistant_message")
    def answer(event, ctx):
        log.append(f"answer {event.content} {event.stop_reason is StopReason.END_TURN}")

    @api.on("session_end")
    def end(event, ctx):
        log.append(f"end {ctx.session.state.value}")

    @api.tool("report", "", {"type": "object"})
    def report(ctx):
        text = "\n".join([*log, json.dumps(totals)])
        log.clear()
        return text

    @api.tool("metas", "", {"type": "object"})
    def metas(ctx):
        return " ".join(str(event.usage["input_tokens"]) for event in ctx.session.events if event.type == "provider_meta")

    @api.tool("config", "", {"type": "object"})
    def config(ctx):
        c = ctx.config
        names = ("max_steps", "system_prompt", "timeout", "token_budget", "context_window")
        values = [getattr(c, name) for name in names]
        return f"{values} {c.tools.enabled_builtins} {c.safety.read_only} {c.providers[c.provider].model} {c.model_dump()['provider']['name']}"

    @api.tool("dump", "", {"type": "object"})
    def dump(ctx):
        return json.dumps(sorted(ctx.session.model_dump(mode="json")))
