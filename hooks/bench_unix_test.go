//go:build unix

package hooks_test

import (
	"os/exec"
	"testing"

	"github.com/idelchi/aura/hooks"
)

// BenchmarkTrivial compares a hook that does nothing with the same command run by sh directly. The difference is the cost of
// the limits, the event and the interpreter.
func BenchmarkTrivial(b *testing.B) {
	call := hooks.Call{Tool: "Write", Input: map[string]any{"path": "main.go"}, Paths: []string{"/p/main.go"}}
	b.Run("hook", func(b *testing.B) {
		r := runner(b, hook(hooks.EventPost, "true"))
		for b.Loop() {
			run(b, r, hooks.EventPost, call)
		}
	})
	b.Run("hook with a program", func(b *testing.B) {
		r := runner(b, hook(hooks.EventPost, "/bin/true"))
		for b.Loop() {
			run(b, r, hooks.EventPost, call)
		}
	})
	b.Run("sh", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("sh", "-c", "true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sh with a program", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("sh", "-c", "/bin/true; :").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
