"""Finding and importing the extension."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import agent
from aura_runner.wire import Failure

# The limits of what is read of an extension's source.
_MOST_FILES, _LARGEST_FILE = 500, 1 << 20

# What a source contains that reads these parts of the history.
_OF_ANSWERS = (b"reasoning", b"ReasoningBlock", b"provider_meta", b"PROVIDER_META", b"ProviderMeta", b".usage", b'"usage"', b"model_dump")


class Extension:
    """The module of an extension, and where it is."""

    def __init__(self, target: str) -> None:
        self.target = target
        # The directory or file of the extension; empty for an entry point that is not imported yet.
        self.root = ""
        self.function = "register"
        if os.path.isabs(target):
            self.root = target
        else:
            self.target, _, self.function = target.partition(":")

    def register(self) -> Any:
        """Import the module and return its register function."""
        module = self._import_path() if self.root else importlib.import_module(self.target)
        if not self.root:
            origin = getattr(module, "__file__", None) or ""
            self.root = os.path.dirname(origin) if hasattr(module, "__path__") else origin
        found: Any = module
        for part in self.function.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            name = os.path.basename(self.target)
            raise Failure(f"{name} has no function {self.function}(api): it is not an extension, or not a complete one", "load")
        return found

    def _import_path(self) -> ModuleType:
        package = os.path.isdir(self.root)
        file = os.path.join(self.root, "__init__.py") if package else self.root
        name = os.path.basename(self.root) if package else os.path.basename(self.root).removesuffix(".py")
        plain, name = name, "aar_ext_" + "".join(c if c.isalnum() else "_" for c in name)
        if package and plain.isidentifier() and plain not in sys.stdlib_module_names and plain not in ("agent", "aura", "aura_runner"):
            sys.meta_path.insert(0, _Alias(plain, name))
        spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=[self.root] if package else None)
        if spec is None or spec.loader is None:
            raise Failure(f"{file} is no Python file", "load")
        module = importlib.util.module_from_spec(spec)
        # Absolute and relative imports of its modules, dataclasses and pickles look for the module by its name.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def study(self) -> Source:
        """What the source says about the extension."""
        found = Source()
        for file in self._files():
            try:
                with open(file, "rb") as source:
                    text = source.read(_LARGEST_FILE)
                found.read(text, ast.parse(text, file))
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
        return found

    def _files(self) -> list[str]:
        if not os.path.isdir(self.root):
            return [self.root]
        out: list[str] = []
        for directory, inner, files in os.walk(self.root):
            inner[:] = sorted(d for d in inner if not d.startswith((".", "__pycache__")))
            out += [os.path.join(directory, file) for file in sorted(files) if file.endswith(".py")]
            if len(out) > _MOST_FILES:
                break
        return out[:_MOST_FILES]


class _Alias:
    """Finds the modules of a package under the package's own name, too: authors write either. Both names are the same modules."""

    def __init__(self, plain: str, name: str) -> None:
        self._plain, self._name = plain, name

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        first, dot, rest = fullname.partition(".")
        if first != self._plain:
            return None
        return importlib.util.spec_from_loader(fullname, _Known(self._name + dot + rest))


class _Known:
    """Loads a module that has another name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: Any) -> ModuleType:
        self._module = importlib.import_module(self._name)
        self._spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has set the spec of the other name.
        module.__spec__ = self._spec


class Source:
    """Facts about the source of an extension."""

    def __init__(self) -> None:
        # The names of events that the source emits. A name that is not written as a literal is unknown.
        self.emits: set[str] = set()
        # What the source imports of Aar, wherever that is: modules, each with the name in it or none.
        self.imports: set[tuple[str, str]] = set()
        # Whether the source mentions what the history has of single answers: the model's thinking, and what providers reported.
        self.answers = False

    def read(self, text: bytes, parsed: ast.AST) -> None:
        """Add a file."""
        self.answers = self.answers or any(word in text for word in _OF_ANSWERS)
        for node in _run(parsed):
            self.imports.update((module, name) for module, name in _imported(node) if f"{module}.".startswith("agent."))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("emit", "emit_async"):
                name = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    self.emits.add(name.value)


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a source, without those that are there for type checkers only."""
    yield node
    for child in node.orelse if _for_types(node) else ast.iter_child_nodes(node):
        yield from _run(child)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and getattr(node.test, "id", getattr(node.test, "attr", "")) == "TYPE_CHECKING"


def _imported(node: ast.AST) -> list[tuple[str, str]]:
    """What a node imports: each module, with the name in it or none."""
    if isinstance(node, ast.Import):
        return [(name.name, "") for name in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [(str(node.module), name.name.replace("*", "")) for name in node.names]
    if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("import_module", "__import__"):
        return [(name.value, "") for name in node.args[:1] if isinstance(name, ast.Constant) and isinstance(name.value, str)]
    return []


def absent(imports: set[tuple[str, str]]) -> list[str]:
    """The parts of Aar among imports that aura does not provide, each with what to do. Extensions often catch the error of such an import, and
    report another reason or none."""
    out = []
    for part in sorted({module if not _provided(module) else f"{module}.{name}" for module, name in imports if not _found(module, name)}):
        instead = next((text for known, text in agent.INSTEAD.items() if f"{part}.".startswith(f"{known}.")), "what needs it does not work")
        out.append(f"{part}, a part of Aar that aura does not provide: {instead}")
    return out


def _found(module: str, name: str) -> bool:
    return _provided(module) and (not name or hasattr(importlib.import_module(module), name) or _provided(f"{module}.{name}"))


def _provided(module: str) -> bool:
    try:
        return module not in agent.INSTEAD and importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def missing(error: BaseException) -> str:
    """What to do about a module that cannot be imported, or nothing."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    if error.name.partition(".")[0] == "agent":
        return f"; {error.name} is a part of Aar that aura does not provide"
    module = error.name.partition(".")[0]
    return (
        f"; {sys.executable} has no module {module!r}: install it with `{sys.executable} -m pip install {module}`, if the package has the "
        "same name, or add the extension with `aura plugins add`, which installs the dependencies that the extension declares"
    )
