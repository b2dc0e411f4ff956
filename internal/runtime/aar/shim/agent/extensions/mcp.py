"""Aar's connection with MCP servers, which aura does not provide. Importing it raises ImportError with the reason: extensions often report
any ImportError here as a package that is not installed.
"""

import agent

raise ImportError(f"aura does not provide {__name__}: {agent.INSTEAD[__name__]}", name=__name__)
