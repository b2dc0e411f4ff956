"""What handlers see of the settings."""

from __future__ import annotations

from typing import Any

from agent.core.model import Model
from aura_runner import names


class Provider(Model, str):
    """The provider in use. In Aar it is the name of a provider, or an object; this is both. extra holds the settings that the user gave the
    extension in aura."""

    def __new__(cls, context: dict[str, Any]) -> Provider:
        return str.__new__(cls, context.get("Provider") or "")

    def __init__(self, context: dict[str, Any]) -> None:
        self.name = str(self)
        self.model: str = (context.get("ModelInfo") or {}).get("Name") or ""
        # aura keeps these to itself.
        self.api_key = self.base_url = self.response_format = ""
        self.max_tokens, self.temperature = 0, 0.0
        self.context_window: int | None = (context.get("ModelInfo") or {}).get("ContextLength") or None
        self.token_budget = self.cost_limit = None
        self.json_schema: dict[str, Any] = {}
        self.extra: dict[str, Any] = dict(context.get("PluginConfig") or {})


class _Settings(Model):
    """A group of settings."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


class Config(Model):
    """The settings in force, under Aar's names. What aura does not tell a plugin has the value that means no limit."""

    def __init__(self, context: dict[str, Any]) -> None:
        self.provider = Provider(context)
        self.providers = {self.provider.name: self.provider}
        self.model = self.provider.model
        self.max_steps: int = context.get("MaxSteps") or 0
        self.system_prompt: str = context.get("SystemPrompt") or ""
        self.context_window: int = (context.get("Tokens") or {}).get("Max") or 0
        self.timeout = self.cost_limit = 0.0
        self.token_budget = self.max_retries = 0
        self.streaming = True
        self.tools = _Settings(
            enabled_builtins=sorted({names.TOOLS[name] for name in context.get("AvailableTools") or () if name in names.TOOLS}),
            bash_default_timeout=0,
            command_timeout=0,
            max_output_chars=0,
        )
        sandboxed = bool((context.get("Features") or {}).get("Sandbox"))
        self.safety = _Settings(
            read_only=False,
            require_approval_for_writes=False,
            require_approval_for_execute=False,
            denied_paths=[],
            allowed_paths=[],
            sandbox=_Settings(mode="linux" if sandboxed else "local"),
        )

    @property
    def active_provider_key(self) -> str:
        return self.provider.name

    def resolve_provider(self, key: str | None = None) -> Provider:
        if key is not None and key not in self.providers:
            raise ValueError(f"there is no provider {key!r}; aura shows an extension the one in use, {self.provider.name!r}")
        return self.provider

    def effective_context_window(self) -> int:
        return self.context_window

    def effective_token_budget(self) -> int:
        return self.token_budget

    def effective_cost_limit(self) -> float:
        return self.cost_limit
