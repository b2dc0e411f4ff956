"""State in a closure, shown by a tool."""

from agent.extensions.api import ExtensionAPI, ExtensionContext
from agent.transports.companion_state import CompanionEngine, xp_fraction


def register(api: ExtensionAPI) -> None:
    pet: CompanionEngine | None = None

    @api.on("session_start")
    def begin(event, ctx: ExtensionContext) -> None:
        nonlocal pet
        pet = CompanionEngine()
        if ctx.session is not None:
            pet.bootstrap_from_session(ctx.session)

    @api.on("tool_call")
    def step(event, ctx: ExtensionContext) -> None:
        if pet is not None and pet.on_step():
            ctx.logger.info("Level %d is reached", pet.level)

    @api.on("stream_chunk")
    def streaming(event, ctx):
        if pet is not None:
            pet.on_streaming()

    @api.on("error")
    def failed(event, ctx):
        if pet is not None:
            pet.on_error()

    @api.tool(
        name="pet",
        description="How the pet is",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    )
    def status(ctx: ExtensionContext) -> str:
        if pet is None:
            return "no pet yet"
        return f"mood={pet.mood.value} level={pet.level} xp={xp_fraction(pet.steps, pet.level) * 100:.0f}%"
