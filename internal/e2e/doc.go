// Package e2e tests aura as its users meet it: the real binaries, in real processes, one script per story.
//
// Scripts lie in testdata. Each runs in a directory of its own that begins as a copy of testdata/base: a project whose
// model plays a conversation of four calls with three tool calls in between, and a plugin "witness" that counts the calls
// in a package-level variable and so tells whether it was restarted.
package e2e
