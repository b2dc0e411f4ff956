from dataclasses import dataclass


@dataclass
class Help:
    name: str

    @property
    def text(self):
        return f"help for {self.name}: "


def announce(api):
    api.events.emit("package:announced")
