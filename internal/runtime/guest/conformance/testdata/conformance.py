"""The plugin of the conformance test, for the Python runner."""

import os

OBJECT = {"type": "object"}


def register(api):
    api.append_system_prompt("This is a conformance test.")

    @api.on("tool_call")
    def guard(event, ctx):
        return api.block("no") if event.tool_name == "forbidden" else None

    @api.on("user_message")
    def louder(event, ctx):
        return event.upper()

    @api.events.on("conformance:ping")
    def ping(payload):
        api.events.emit("conformance:pong", payload)

    @api.command("shout")
    def shout(args, ctx):
        return args.upper()

    @api.tool("emit", "", OBJECT)
    async def emit(value):
        api.events.emit("conformance:value", value)

    @api.tool("fail", "", OBJECT)
    async def fail(message):
        raise RuntimeError(message)

    @api.tool("wait", "", OBJECT)
    async def wait(ctx):
        await ctx.signal.wait()
        return "cancelled"

    @api.tool("print", "", OBJECT)
    async def show(text):
        print(text)

    @api.tool("length", "", OBJECT)
    async def length(text):
        return len(text)

    @api.tool("env", "", OBJECT)
    async def env(name):
        return os.environ[name]
