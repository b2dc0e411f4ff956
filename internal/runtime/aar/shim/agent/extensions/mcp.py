"""Aar's connection with MCP servers, which aura does not provide. Importing it raises ImportError with the reason."""

import logging

import agent

agent.missing.add(__name__)

_REASON = f"aura does not provide {__name__}: it connects MCP servers itself, those in config/mcp/*.yaml"
# An extension that imports this in a handler often says that a package is not installed.
logging.getLogger(__name__).warning(_REASON)

raise ImportError(_REASON, name=__name__)
