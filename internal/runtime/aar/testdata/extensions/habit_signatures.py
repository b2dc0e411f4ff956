"""The ways in which handlers of tools take their arguments."""

import functools
import json


def traced(handler):
    def wrapper(*args, **kwargs):
        return "traced " + handler(*args, **kwargs)

    return wrapper


def wrapped(handler):
    @functools.wraps(handler)
    async def wrapper(*args, **kwargs):
        return "wrapped " + handler(*args, **kwargs)

    return wrapper


class Counter:
    def __init__(self):
        self.count = 0

    def step(self, by, ctx):
        self.count += by
        return self.count


def register(api):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}

    @api.tool("all_kwargs", "", schema)
    def all_kwargs(**kwargs):
        return json.dumps(kwargs)

    @api.tool("kwargs_ctx", "", schema)
    def kwargs_ctx(**kwargs):
        ctx = kwargs.pop("ctx")
        return f"{ctx.config.model} {kwargs}"

    @api.tool("no_ctx", "", schema)
    async def no_ctx(a=1, b=2):
        return a + b

    @api.tool("keyword_ctx", "", schema)
    def keyword_ctx(a, *, ctx):
        return f"{a} {ctx.session.step_count}"

    @api.tool("ctx_first", "", schema)
    def ctx_first(ctx, a):
        return f"{a} {ctx.session.step_count}"

    @api.tool("optional_ctx", "", schema)
    def optional_ctx(a, ctx=None):
        return ctx is not None

    @api.tool("forwarded", "", schema)
    @traced
    def forwarded(a, ctx):
        return f"{a} {ctx.session.step_count}"

    @api.tool("with_wraps", "", schema)
    @wrapped
    def with_wraps(a):
        return str(a)

    counter = Counter()
    api.tool("method", "", schema)(counter.step)
    api.tool("partial", "", schema)(functools.partial(counter.step, by=10))
