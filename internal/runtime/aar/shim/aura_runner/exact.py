"""Values as they are sent: JSON, with objects of one key in the place of what JSON cannot represent."""

from __future__ import annotations

import base64
import datetime
import json
import math
from typing import Any

# The integers that a plain JSON number stands for.
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1

# The largest integer up to which a float holds every integer.
_EXACT = 2**53

# Deeper values are refused, because a value that holds itself has no end.
_DEEPEST = 200


def revive(value: dict[str, Any]) -> Any:
    """The value that an object of a frame stands for. It is an object hook of json.loads."""
    if len(value) != 1:
        return value
    ((mark, content),) = value.items()
    if not mark.startswith("$"):
        return value
    if mark == "$map":
        return {key: item for key, item in content}
    return _MARKS[mark](content)


def _time(text: str) -> Any:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return text


_MARKS = {
    "$float": float,
    "$text": lambda text: base64.b64decode(text).decode("utf-8", "surrogateescape"),
    "$data": base64.b64decode,
    "$time": _time,
    "$number": int,
}


def loads(text: bytes) -> Any:
    """Read a frame."""
    return json.loads(text, object_hook=revive)


def arguments(value: Any) -> Any:
    """The arguments of a tool call as json.loads reads them: a number without a fraction is an int. aura has them as floats."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if isinstance(value, list):
        return [arguments(item) for item in value]
    if isinstance(value, dict):
        return {key: arguments(item) for key, item in value.items()}
    return value


def floats(value: Any) -> Any:
    """The arguments of a tool call as aura has them: the inverse of arguments."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _EXACT:
        return float(value)
    if isinstance(value, (list, tuple)):
        return [floats(item) for item in value]
    if isinstance(value, dict):
        return {key: floats(item) for key, item in value.items()}
    return value


def tree(value: Any, depth: int = 0) -> Any:
    """What json.dumps writes for a value. Raises TypeError for a value that cannot be sent."""
    if depth > _DEEPEST:
        raise TypeError(f"a value holds itself, or is nested more than {_DEEPEST} levels deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, int):
        value = int(value)
        return value if _SMALLEST <= value <= _LARGEST else {"$number": str(value)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": _not_finite(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [tree(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return _entries(value, depth)
    if isinstance(value, datetime.datetime):
        return {"$time": (value if value.tzinfo else value.astimezone()).isoformat()}
    raise TypeError(f"a value of type {type(value).__name__} cannot be sent to another process")


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _text(text: str) -> Any:
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return {"$text": base64.b64encode(_bytes(text)).decode()}


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _entries(value: dict[Any, Any], depth: int) -> Any:
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"a key of type {type(key).__name__} cannot be sent to another process; use texts")
    pairs = [(_text(str.__str__(key)), tree(item, depth + 1)) for key, item in value.items()]
    if all(isinstance(key, str) and not key.startswith("$") for key, _ in pairs):
        return dict(pairs)
    return {"$map": [list(pair) for pair in pairs]}


__all__ = ["arguments", "floats", "loads", "revive", "tree"]
