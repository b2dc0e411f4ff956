"""Aar's connection with MCP servers, which aura does not provide. Importing it raises ImportError with the reason."""

import agent

agent.missing.add(__name__)

raise ImportError(f"aura does not provide {__name__}: it connects MCP servers itself, those in config/mcp/*.yaml", name=__name__)
