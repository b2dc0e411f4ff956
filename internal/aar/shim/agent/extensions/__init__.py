"""What an extension is written against: see agent.extensions.api."""
