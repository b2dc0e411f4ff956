"""State that front ends show: see agent.transports.companion_state."""
