"""Blocks commands that delete too much."""

from agent.extensions.api import BlockResult, ExtensionAPI, ExtensionContext

FORBIDDEN = ("rm -rf", "mkfs")


async def register(api: ExtensionAPI) -> None:
    @api.on("tool_call")
    async def guard(event, ctx: ExtensionContext) -> BlockResult | None:
        command = event.arguments.get("command", "")
        for phrase in FORBIDDEN:
            if phrase in command:
                return api.block(f"{event.tool_name} must not run {phrase!r}")
        return None
