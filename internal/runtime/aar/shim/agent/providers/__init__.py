"""Answers of models: see agent.providers.base."""
