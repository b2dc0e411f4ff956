"""The events of a session: see agent.core.events."""
