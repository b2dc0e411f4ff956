"""A synchronous tool with a closed schema."""

from agent.extensions.api import ExtensionAPI, ExtensionContext
from agent.tools.schema import SideEffect


def register(api: ExtensionAPI) -> None:
    @api.tool(
        name="word_count",
        description="Count the words of a text",
        input_schema={
            "type": "object",
            "properties": {"text": {"type": "string", "description": "The text"}},
            "required": ["text"],
            "additionalProperties": False,
        },
        side_effects=[SideEffect.NONE],
    )
    def word_count(text: str, ctx: ExtensionContext) -> str:
        return f"{len(text.split())} words"

    @api.tool(
        name="publish",
        description="Publish the text",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        side_effects=[SideEffect.NETWORK, SideEffect.WRITE],
        requires_approval=True,
        timeout_s=1.5,
    )
    async def publish(ctx: ExtensionContext) -> str:
        return "published"
