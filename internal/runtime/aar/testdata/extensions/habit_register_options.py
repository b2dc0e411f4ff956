"""A register function with further parameters."""


def register(api, config=None, *, prefix="> ", **options):
    @api.tool("say", "Say", {"type": "object"})
    def say(text):
        return f"{prefix}{text} {config} {options}"
