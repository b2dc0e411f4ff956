"""Keeps some files from being touched."""

from agent.extensions.api import BlockResult, ExtensionAPI, ExtensionContext


def register(api: ExtensionAPI) -> None:
    protected = {".env", "vault.yaml", "id_ed25519"}

    @api.on("tool_call")
    def protect(event, ctx: ExtensionContext) -> BlockResult | None:
        path = event.arguments.get("path", "")
        if any(path.endswith(name) for name in protected):
            return api.block(f"{path} is protected")
        return None
