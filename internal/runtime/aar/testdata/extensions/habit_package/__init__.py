"""An extension of several files."""

import aar_ext_habit_package.inner.names as absolute
from habit_package.inner import names

from . import helper

assert absolute is names


async def register(api):
    @api.tool("helped", "", {"type": "object"})
    def helped():
        return helper.Help("x").text + " ".join(names.NAMES)
