"""Handlers that wait, and work in the background that ends later."""

import asyncio


async def register(api):
    done = asyncio.Event()
    finished = []

    async def work(name):
        await asyncio.sleep(0.01)
        finished.append(name)
        if len(finished) == 3:
            done.set()

    @api.on("session_start")
    async def begin(event, ctx):
        for name in ("one", "two"):
            asyncio.create_task(work(name))
        await work("three")

    @api.tool("finished", "What is finished", {"type": "object"})
    async def report(ctx):
        await done.wait()
        return " ".join(sorted(finished))
