// Package e2e tests aura as users run it: the real binaries, in real processes, one script per story. Each area has a
// package: scripts runs the scripts in testdata, the others hold what needs Go. They share the package harness.
//
// Each script runs in a directory of its own that starts as a copy of testdata/base: a
// project whose model plays a conversation of four calls with three tool calls in between, and a plugin "witness" that counts
// the calls in a package-level variable and so shows whether it was restarted.
package e2e
