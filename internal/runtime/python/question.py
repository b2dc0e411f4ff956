"""Describes the interpreter as JSON.

It runs without the module site's own work (-S): path files and sitecustomize can run code of directories that anybody may have made
part of the path. It adds the same directories to the path, and imports nothing from them.
"""

import json, os, site, sys, sysconfig


def environment():
    """Return the directory of the virtual environment and whether it includes the packages of the installation."""
    beside = os.path.dirname(sys.executable)
    for directory in (beside, os.path.dirname(beside)):
        try:
            with open(os.path.join(directory, "pyvenv.cfg"), encoding="utf-8") as file:
                settings = dict(line.lower().replace(" ", "").strip().partition("=")[::2] for line in file)
        except OSError:
            continue
        return directory, settings.get("include-system-site-packages") == "true"
    return "", True


def named(directory):
    """Return the directories that path files name."""
    try:
        files = sorted(name for name in os.listdir(directory) if name.endswith(".pth") and not name.startswith("."))
    except OSError:
        return
    for name in files:
        try:
            with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        for line in lines:
            path = os.path.abspath(os.path.join(directory, line.rstrip()))
            if line.strip() and not line.startswith(("#", "import ", "import\t")) and os.path.exists(path):
                yield path


def place(module):
    """Return the file or the directory of a top-level module without importing the module."""
    from importlib.util import find_spec

    spec = find_spec(module)
    if spec is None:
        return ""
    for directory in spec.submodule_search_locations or []:
        return os.path.abspath(directory)
    return os.path.abspath(spec.origin or "")


def extensions():
    from importlib.metadata import entry_points

    for entry in entry_points(group="aar_extensions"):
        module, _, function = entry.value.partition("[")[0].strip().partition(":")
        try:
            directory = place(module.partition(".")[0].strip())
        except (ImportError, ValueError):
            directory = ""
        yield {
            "name": entry.name,
            "entry": module.strip() + ":" + (function.strip() or "register"),
            "dir": directory,
            "package": getattr(entry.dist, "name", ""),
        }


prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
own, shared = environment()
roots = []
if shared:
    roots = site.getsitepackages([sys.base_prefix, sys.base_exec_prefix])
if own:
    # The module site looks at these to find the packages of an environment.
    sys.prefix = sys.exec_prefix = own
    roots = site.getsitepackages([own]) + roots
    prefixes.add(own)
for root in roots:
    for path in [root, *named(root)]:
        if os.path.exists(path) and path not in sys.path:
            sys.path.append(path)

print(json.dumps({
    "program": sys.executable,
    "version": list(sys.version_info[:3]),
    "prefixes": sorted(prefixes),
    "library": sysconfig.get_path("stdlib"),
    "path": [path for path in sys.path if path],
    "extensions": list(extensions()) if sys.version_info >= (3, 11) else [],
}))
