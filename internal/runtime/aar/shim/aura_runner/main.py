"""The program."""

from __future__ import annotations

import asyncio
import sys
import traceback

from aura_runner.runner import Runner


def main(args: list[str]) -> None:
    """Run the extension that the arguments name until the host is gone."""
    paths: list[str] = []
    while len(args) > 1 and args[0] == "--path":
        paths.append(args[1])
        args = args[2:]
    if len(args) != 1:
        sys.exit("usage: run_extension.py [--path DIR]... FILE|DIRECTORY|MODULE:FUNCTION")
    # This package's directory stays first, so that nothing takes the place of what extensions import.
    sys.path[1:1] = paths
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    Runner(args[0], loop).start()
    while True:
        try:
            loop.run_forever()
        except BaseException:
            # A task that the extension started itself tried to end the process.
            traceback.print_exc()
