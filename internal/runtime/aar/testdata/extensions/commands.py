"""Commands that answer with a text, with the logger, or not at all."""

from agent.extensions.api import ExtensionAPI, ExtensionContext


def register(api: ExtensionAPI) -> None:
    mood = "calm"

    @api.command("numbers", description="Numbers of the session")
    def numbers(args: str, ctx: ExtensionContext) -> None:
        session = ctx.session
        ctx.logger.info("Steps: %d | Messages: %d", session.step_count, len(session.messages))

    @api.command("mood", description="Set or show the mood")
    async def set_mood(args: str, ctx: ExtensionContext) -> str:
        nonlocal mood
        mood = args.strip() or mood
        return f"The mood is {mood}."

    @api.command("nothing")
    def nothing(args, ctx):
        ctx.logger.debug("not shown")
