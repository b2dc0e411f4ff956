"""Does without what is not there."""

try:
    from agent.extensions.mcp import connect
except ImportError:
    connect = None

try:
    from agent.memory.session_store import SessionStore
except ImportError:
    SessionStore = None

try:
    import a_module_that_nobody_has as fancy
except ImportError:
    fancy = None


def register(api):
    @api.tool("has", "", {"type": "object"})
    def has():
        return [connect, SessionStore, fancy]
