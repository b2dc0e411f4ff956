//go:build linux

package process

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// hostileHooks maps names to the hooks of the memory test. Hooks that end by a limit may take long on a slow machine.
var hostileHooks = map[string]string{
	"loop":       "{event: post, matcher: Ls, timeout: 1, command: 'while :; do :; done'}",
	"double":     "{event: post, matcher: Ls, timeout: 60, command: 'x=abcdefgh; while :; do x=$x$x; done'}",
	"recursion":  "{event: post, matcher: Ls, timeout: 60, command: 'f() { f; }; f'}",
	"background": "{event: post, matcher: Ls, timeout: 60, command: 'sleep 300 & echo left'}",
	"gigabyte":   "{event: post, matcher: Ls, timeout: 60, command: 'head -c 1000000000 /dev/zero'}",
	"complaint":  "{event: post, matcher: Ls, timeout: 60, command: 'head -c 100000000 /dev/zero >&2; exit 3'}",
	"answer":     `{event: post, matcher: Ls, timeout: 60, command: 'printf "{\"message\":\""; head -c 900000 /dev/zero | tr "\0" x; printf "\"}"'}`,
	"keys":       `{event: post, matcher: Ls, timeout: 60, command: 'printf "{\"a\":1"; seq 1 60000 | while read i; do printf ",\"$i\":1"; done; printf "}"'}`,
}

// peakWith runs a conversation of one tool call around which a hook runs, and returns the peak memory of aura itself, in KiB.
// Child processes do not count, so a last hook reads the peak before aura exits.
func peakWith(t *testing.T, name, hook string) int {
	t.Helper()
	p := harness.NewProject(t)
	p.Write(".aura/config/hooks/bad.yaml", "bad: "+hook+"\n")
	p.Write(".aura/config/hooks/peak.yaml", "peak: {event: post, matcher: Glob, silent: true, sandbox: off, command: 'cat /proc/$PPID/status >"+filepath.Join(p.Dir, "status.txt")+"'}\n")
	p.Write(".aura/config/talk.yaml", `turns:
  - tool_calls: [{name: Ls, arguments: {path: .}}]
  - tool_calls: [{name: Glob, arguments: {pattern: "*"}}]
  - text: "All done."
`)
	p.Run("run", "go")
	p.Wants(p.Stdout(), `All done\.`)
	p.Wants(p.Stderr(), "witness saw call 3")
	status := p.Read("status.txt")
	if !bytes.Contains(status, []byte("Name:\taura\n")) {
		t.Fatalf("%s: the parent of a hook is not aura: %.200s", name, status)
	}
	peak := regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`).FindSubmatch(status)
	if peak == nil {
		t.Fatalf("%s: the system does not tell what aura used: %s", name, status)
	}
	kib, err := strconv.Atoi(string(peak[1]))
	p.Check(err)
	p.NoTrace()
	return kib
}

// TestHooksMemory compares conversations with hostile hooks with one whose hook says nothing.
func TestHooksMemory(t *testing.T) {
	t.Parallel()
	quiet := peakWith(t, "quiet", "{event: post, matcher: Ls, command: 'true'}")
	// aura keeps the output of a hook up to one mebibyte per stream, and parses it as JSON, which takes several times that.
	// The rest depends on the garbage collector.
	const slack = 32 << 10
	for name, hook := range hostileHooks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loud := peakWith(t, name, hook)
			t.Logf("aura used %d KiB of memory, and %d KiB with a hook that says nothing", loud, quiet)
			if loud > quiet+slack {
				t.Errorf("aura used %d KiB of memory, and %d KiB with a hook that says nothing", loud, quiet)
			}
		})
	}
}
