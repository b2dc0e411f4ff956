"""A tool that greets, and a paragraph about it in the system prompt."""

from agent.extensions.api import ExtensionAPI, ExtensionContext


def register(api: ExtensionAPI) -> None:
    @api.tool(
        name="greet",
        description="Greet a person",
        input_schema={
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    )
    async def greet(name: str, ctx: ExtensionContext) -> str:
        return f"Good morning, {name}!"

    api.append_system_prompt("Use greet to greet people.")
    api.append_system_prompt("Greet each person once.")
