"""Collects an answer while it arrives."""


def register(api):
    text, thoughts = [], []

    @api.on("stream_chunk")
    def chunk(event, ctx):
        text.append(event.text)
        thoughts.append(event.reasoning_text)
        if event.finished:
            ctx.logger.info("answer: %s, thoughts: %s", "".join(text), "".join(thoughts))
