"""Writes files below the home directory, and runs git."""

import subprocess
from pathlib import Path


def register(api):
    notes = Path.home() / ".aar" / "notes.txt"

    @api.on("user_message")
    def note(event, ctx):
        notes.parent.mkdir(parents=True, exist_ok=True)
        with notes.open("a", encoding="utf-8") as file:
            file.write(event.content + "\n")

    @api.tool("notes", "", {"type": "object"})
    def read():
        return notes.read_text(encoding="utf-8")

    @api.tool("checkpoint", "", {"type": "object"})
    def checkpoint(directory):
        def git(*args):
            base = ["git", "-C", directory, "-c", "user.name=A", "-c", "user.email=a@example.org"]
            return subprocess.run([*base, *args], check=True, capture_output=True, text=True).stdout.strip()

        git("init", "-q", ".")
        (Path(directory) / "a.txt").write_text("one", encoding="utf-8")
        git("add", "-A")
        git("commit", "-qm", "checkpoint")
        (Path(directory) / "a.txt").write_text("two", encoding="utf-8")
        git("reset", "-q", "--hard")
        return f"{(Path(directory) / 'a.txt').read_text(encoding='utf-8')} {git('log', '--format=%s')}"
