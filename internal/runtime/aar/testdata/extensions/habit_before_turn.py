"""Changes the messages of a model call."""


def register(api):
    @api.on("before_turn")
    def shorten(messages, ctx):
        if len(messages) > 3:
            return [{"role": "user", "content": "(earlier messages left out)"}, *messages[-2:]]
        return None

    @api.on("before_turn")
    def remind(event, ctx):
        last = dict(event.messages[-1])
        last["content"] += " Be brief."
        return [*event[:-1], last]
