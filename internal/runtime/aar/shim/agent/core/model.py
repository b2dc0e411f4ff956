"""What extensions use of pydantic's models."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from typing import Any

__all__ = ["Model"]


class Model:
    """An object with fields that can be written as a dictionary."""

    def _fields(self) -> dict[str, Any]:
        """The fields by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def model_dump(
        self, *, mode: str = "python", include: Iterable[str] | None = None, exclude: Iterable[str] | None = None, exclude_none: bool = False, **_: Any
    ) -> dict[str, Any]:
        """The fields as a dictionary. With the mode "json", enumerations are their values."""
        out = {name: _dumped(value, mode, exclude_none) for name, value in self._fields().items()}
        if include is not None:
            out = {name: value for name, value in out.items() if name in set(include)}
        excluded = set(exclude or ())
        return {name: value for name, value in out.items() if name not in excluded and not (exclude_none and value is None)}

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The fields as JSON."""
        separators = (",", ":") if indent is None else None
        return json.dumps(self.model_dump(**{**options, "mode": "json"}), indent=indent, separators=separators, ensure_ascii=False, default=str)

    dict = model_dump

    @classmethod
    def model_validate(cls, values: Any) -> Any:
        """An object with the given fields."""
        return values if isinstance(values, cls) else cls(**values)

    def model_copy(self, *, update: dict[str, Any] | None = None, **_: Any) -> Any:
        """A copy with some other fields."""
        return type(self)(**(self._fields() | (update or {})))


def _dumped(value: Any, mode: str, exclude_none: bool) -> Any:
    if isinstance(value, Model):
        return value.model_dump(mode=mode, exclude_none=exclude_none)
    if isinstance(value, Enum):
        return value.value if mode == "json" else value
    if isinstance(value, dict):
        return {key: _dumped(item, mode, exclude_none) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_dumped(item, mode, exclude_none) for item in value]
    return value
