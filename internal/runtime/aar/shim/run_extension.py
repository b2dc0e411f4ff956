"""Runs one extension as a guest of aura-plugin-host: python3 -I run_extension.py [--path DIR]... TARGET.

TARGET is a file, the directory of a package, or an entry point (module:function). The descriptors 3 and 4 carry the frames.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from aura_runner.main import main  # noqa: E402

if __name__ == "__main__":
    main(sys.argv[1:])
