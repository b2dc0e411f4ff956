import json, os, sys, sysconfig


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
        package = getattr(entry.dist, "name", "")
        try:
            directory = place(module.partition(".")[0].strip())
        except (ImportError, ValueError):
            directory = ""
        yield {"name": entry.name, "entry": module.strip() + ":" + (function.strip() or "register"), "dir": directory, "package": package}


print(json.dumps({
    "program": sys.executable,
    "version": list(sys.version_info[:3]),
    "prefixes": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}),
    "library": sysconfig.get_path("stdlib"),
    "path": [path for path in sys.path if path],
    "extensions": list(extensions()) if sys.version_info >= (3, 11) else [],
}))
