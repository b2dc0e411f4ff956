"""What an extension is written against: see agent.extensions.api."""

from agent.extensions.api import (
    BlockResult,
    ExtensionAPI,
    ExtensionAPIProtocol,
    ExtensionContext,
    ExtensionContextProtocol,
    ExtensionEventBus,
)

__all__ = ["BlockResult", "ExtensionAPI", "ExtensionAPIProtocol", "ExtensionContext", "ExtensionContextProtocol", "ExtensionEventBus"]
