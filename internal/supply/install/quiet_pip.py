# Runs pip in a process that cannot start programs. A wheel is only unpacked, but pip builds a package from source, or asks git for it,
# if a dependency names an address, even with --only-binary.
import os
import runpy
import sys


def refuse(event, args):
    if event not in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"):
        return
    program = next((os.path.basename(os.fsdecode(arg)) for arg in args if isinstance(arg, (str, bytes, os.PathLike))), "a program")
    # With musl, pip asks the loader for its version.
    if event != "subprocess.Popen" or not program.startswith("ld-musl"):
        raise PermissionError(f"aura lets pip start no programs, and so no build and no git: {program}")


sys.addaudithook(refuse)
sys.argv[0] = "pip"
runpy.run_module("pip", run_name="__main__", alter_sys=True)
