"""Starts a program that is meant to stay."""

import subprocess


def register(api):
    server = None

    @api.on("session_start")
    def begin(event, ctx):
        nonlocal server
        server = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        ctx.logger.info("server %d", server.pid)
