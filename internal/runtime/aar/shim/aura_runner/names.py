"""aura's built-in tools under the names and with the arguments that extensions know."""

from __future__ import annotations

import re
from typing import Any

from aura_runner import exact

TOOLS = {
    "Bash": "bash",
    "Read": "read_file",
    "Write": "write_file",
    "Edit": "edit_file",
    "Patch": "edit_file",
    "Ls": "list_directory",
}

# The lines of a patch that name a file.
_PATCHED = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to):(.*)$", re.MULTILINE)


def tool(name: str) -> str:
    """The name of a tool as extensions know it."""
    return TOOLS.get(name, name)


def calls(name: str, arguments: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The arguments of a call as extensions know them. A patch of several files is a call for each of them, because a handler that guards
    paths looks at one path."""
    arguments = exact.arguments(arguments or {})
    if name != "Patch":
        return [arguments]
    text = arguments.get("patch")
    paths = dict.fromkeys(path.strip() for path in _PATCHED.findall(text)) if isinstance(text, str) else {}
    return [{**arguments, "path": path} for path in paths] or [arguments]
