// Package testneed skips tests that the machine cannot run, and turns such a skip into a failure where it must not happen.
//
// A test names the ability that it lacks. The variable AURA_TEST_REQUIRE lists, separated by commas, the abilities that the machine
// is known to have: a test that misses one of them fails instead of being skipped. Tests use this package for every skip.
package testneed
