"""The part of Aar's `agent` package that extensions use, provided by aura.

aura's own code, standard library only. Modules of Aar that are not listed in aura's documentation do not exist here, so that
importing them raises ImportError.
"""

# The parts of Aar that aura has in a form of its own, and what to do instead.
INSTEAD = {
    "agent.extensions.mcp": "aura connects MCP servers itself; list them in config/mcp/*.yaml",
    "agent.memory": "aura saves sessions itself",
}
