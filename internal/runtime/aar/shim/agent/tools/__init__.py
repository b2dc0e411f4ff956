"""Descriptions of tools: see agent.tools.schema."""
