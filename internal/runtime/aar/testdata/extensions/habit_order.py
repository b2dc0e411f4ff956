"""Handlers run in the order of their registration, and the first block wins."""

from agent.extensions.api import BlockResult


def register(api):
    order = []

    for number in range(3):

        @api.on("tool_call")
        async def handler(event, ctx, number=number):
            order.append(number)
            if number and event.tool_name == "bash":
                return BlockResult(reason=f"blocked by {number} after {order}")
