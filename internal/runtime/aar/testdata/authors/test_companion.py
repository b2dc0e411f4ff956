"""The companion's levels and moods."""

import asyncio
import unittest
from types import SimpleNamespace

from agent.core.events import ErrorEvent, ToolCall, UserMessage
from agent.transports import companion_state
from agent.transports.companion_state import CompanionEngine, GitHealth, Mood, steps_to_level, xp_fraction


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
        for act, mood in ((engine.on_streaming, Mood.EXCITED), (engine.on_thinking, "thinking"), (engine.on_error, "stressed"), (engine.on_idle, "happy"),
                          (engine.on_step, "focused")):
            act()
            self.assertEqual(engine.mood, mood)
        self.assertEqual(engine.errors, 1)
        engine.steps = 4
        engine.on_step()
        self.assertEqual((engine.mood, engine.xp), (Mood.LEVEL_UP, 0))
        # Nothing interrupts the celebration but time.
        for act in (engine.on_streaming, engine.on_error, engine.on_idle, engine.on_step):
            act()
            self.assertEqual(engine.mood, Mood.LEVEL_UP)
        for _ in range(engine.LEVELUP_TICKS):
            engine.tick()
        self.assertEqual(engine.mood, Mood.HAPPY)
        for _ in range(engine.SLEEP_TICKS + 1):
            engine.tick()
        self.assertEqual(engine.mood, Mood.SLEEPING)

    def test_git(self):
        engine = CompanionEngine()
        for health, level, mood in ((GitHealth(), 0, "happy"), (GitHealth(1, 3), 1, "focused"), (GitHealth(2, 3), 2, "stressed")):
            engine.apply_git_health(health)
            self.assertEqual((health.stress_level, engine.mood), (level, mood))
        self.assertEqual(asyncio.run(companion_state.get_git_health("/")).total_issues, 0)

    def test_dropped_events(self):
        metadata = {}
        companion_state.companion_on_prune([ToolCall(), ErrorEvent()], metadata)
        companion_state.companion_on_prune([ToolCall()], metadata)
        session = SimpleNamespace(events=[ToolCall(), ErrorEvent()], metadata=metadata)
        self.assertEqual(companion_state.companion_stats_from_session(session), {"steps": 3, "errors": 2})

    def test_bootstrap(self):
        engine = CompanionEngine()
        engine.bootstrap_from_session(SimpleNamespace(events=[UserMessage(content="x"), *[ToolCall() for _ in range(16)]]))
        self.assertEqual((engine.steps, engine.level), (16, 3))
        engine.bootstrap_from_session(None)
        self.assertEqual((engine.steps, engine.level), (0, 1))
