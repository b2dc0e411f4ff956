"""An extension of several files."""

from habit_package.inner import names

from . import helper


async def register(api):
    @api.tool("helped", "", {"type": "object"})
    def helped():
        return helper.Help("x").text + " ".join(names.NAMES)
