"""Side effects as texts, and a deadline of its own."""


def register(api):
    @api.tool("push", "Push", {"type": "object"}, side_effects=["network", "WRITE"], timeout_s=90)
    def push():
        return "pushed"

    @api.tool("look", "Look", {}, side_effects="read")
    def look():
        return "looked"
