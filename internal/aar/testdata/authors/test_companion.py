"""The companion's levels and moods."""

import unittest
from types import SimpleNamespace

from agent.core.events import ToolCall, UserMessage
from agent.transports.companion_state import CompanionEngine, Mood, steps_to_level, xp_fraction


class Companion(unittest.TestCase):
    def test_levels(self):
        for steps, level in ((0, 1), (4, 1), (5, 2), (14, 2), (15, 3), (29, 3), (30, 4), (49, 4), (50, 5), (1000, 5)):
            self.assertEqual(steps_to_level(steps), level, steps)

    def test_fractions(self):
        for steps, level, fraction in ((0, 1, 0), (4, 1, 0.8), (5, 2, 0), (10, 2, 0.5), (40, 4, 0.5), (50, 5, 1), (0, 5, 1), (0, 3, 0), (99, 1, 1)):
            self.assertAlmostEqual(xp_fraction(steps, level), fraction, msg=(steps, level))

    def test_steps(self):
        engine = CompanionEngine()
        self.assertEqual([engine.on_step() for _ in range(6)], [False, False, False, False, True, False])
        self.assertEqual((engine.level, engine.steps, engine.errors), (2, 6, 0))

    def test_moods(self):
        engine = CompanionEngine()
        self.assertEqual(engine.mood.value, "happy")
        for act, mood in ((engine.on_streaming, Mood.EXCITED), (engine.on_thinking, "thinking"), (engine.on_error, "stressed"), (engine.on_idle, "sleeping"),
                          (engine.on_step, "focused")):
            act()
            self.assertEqual(engine.mood, mood)
        self.assertEqual(engine.errors, 1)
        engine.steps = 4
        engine.on_step()
        self.assertEqual(engine.mood, Mood.LEVEL_UP)

    def test_bootstrap(self):
        engine = CompanionEngine()
        engine.bootstrap_from_session(SimpleNamespace(events=[UserMessage(content="x"), *[ToolCall() for _ in range(16)]]))
        self.assertEqual((engine.steps, engine.level), (16, 3))
        engine.bootstrap_from_session(None)
        self.assertEqual((engine.steps, engine.level), (0, 1))
