"""The log of the extension: lines with a level on standard error, as Go plugins write them."""

from __future__ import annotations

import contextvars
import logging
import sys
from typing import Any

# The lines that the running command has logged; None outside of a command.
command_lines: contextvars.ContextVar[list[str] | None] = contextvars.ContextVar("command_lines", default=None)


def _level(number: int) -> str:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"


class _Lines(logging.Handler):
    """Writes each record at once, so that lines of several threads do not mix."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
            own = record.name == self._name or record.name.startswith(self._name + ".")
            lines = command_lines.get()
            if lines is not None and own and record.levelno >= logging.INFO:
                lines.append(text)
            if not own:
                text = f"{record.name}: {text}"
            sys.stderr.write(f"[{_level(record.levelno)}] " + text.replace("\n", "\n    ") + "\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


def logger(name: str) -> logging.Logger:
    """Set up logging for the extension of a name, and return its logger."""
    own = logging.getLogger(f"aar.ext.{name}")
    own.setLevel(logging.DEBUG)
    logging.getLogger().addHandler(_Lines(own.name))
    return own


def place(error: BaseException, root: str) -> str:
    """Where in the extension an error happened, as " (file.py:3)", or nothing."""
    found = ""
    step: Any = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if root and file.startswith(root):
            found = f" ({file.rpartition('/')[2]}:{step.tb_lineno})"
        step = step.tb_next
    return found
