"""The time and random numbers, without aura."""

import datetime
import unittest

import aura


class Aura(unittest.TestCase):
    def test_now(self):
        before = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(milliseconds=1)
        now = aura.now()
        self.assertIs(now.tzinfo, datetime.timezone.utc)
        self.assertLessEqual(before, now)

    def test_rand(self):
        numbers = {aura.rand() for _ in range(100)}
        self.assertEqual(len(numbers), 100)
        self.assertTrue(all(0 <= n < 2**64 for n in numbers))

    def test_answers(self):
        self.addCleanup(setattr, aura, "_ask", None)
        aura._ask = {"now": 1_767_225_600_123_456_789, "rand": 2**64 - 1}.__getitem__
        self.assertEqual(aura.now().isoformat(), "2026-01-01T00:00:00.123456+00:00")
        self.assertEqual(aura.rand(), 2**64 - 1)
