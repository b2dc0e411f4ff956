//go:build linux && !race

package hooks_test

import (
	"cmp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/hooks"
)

// maxAllocated is the maximum number of bytes that this process may allocate to run a hook: the limited output, copied a few
// times.
const maxAllocated = 24 << 20

// TestHostile checks that the caller continues whatever a hook does, that its memory use stays flat, and that the model gets a
// short text. The rows run sequentially, so that the allocations of this process belong to one row.
func TestHostile(t *testing.T) {
	awkward := "/p/" + strings.Repeat("$(exit 2) '\"\n", 100)
	tests := []struct {
		name, command, want string
		// timeout is five minutes if it is 0.
		timeout time.Duration
		post    bool
	}{
		{name: "endless loop", command: "while :; do :; done", want: "[hook h was stopped after its timeout of 1s]", timeout: time.Second},
		{name: "endless text", command: "x=abcdefgh; while :; do x=$x$x; done", want: "[hook h "},
		{name: "endless recursion", command: "f() { f; }; f", want: "[hook h "},
		{name: "endless output", command: "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", want: "[hook h was stopped", timeout: time.Second},
		{name: "endless input of its own", command: "cat /dev/zero", want: "[hook h was stopped", timeout: time.Second},
		{name: "background child that holds the output", command: "sh -c 'sleep 1000' & echo done", want: "[hook h]\ndone"},
		{name: "detached child that holds the output", command: "setsid sleep 1000 & echo done; exit 1", want: "[hook h ended with status 1]"},
		{name: "100 MB of output", command: "yes | head -c 100000000", want: "[hook h]\ny\ny\n"},
		{name: "100 MB of errors", command: "yes | head -c 100000000 >&2; exit 2", want: `blocked by hook "h": y`},
		{name: "a long line", command: "head -c 3000000 /dev/zero | tr '\\0' x", want: "[hook h]\nxxx"},
		{name: "bytes that are no text", command: "head -c 3000000 /dev/urandom; exit 1", want: "[hook h ended with status 1]"},
		{name: "a long answer", command: `printf '{"deny": true, "reason": "'; head -c 900000 /dev/zero | tr '\0' x; printf '"}'`, want: `blocked by hook "h": xxx`},
		{name: "an answer that is too long", command: `printf '{"deny": true, "reason": "'; head -c 9000000 /dev/zero | tr '\0' x; printf '"}'`, want: "[hook h]\n{\"deny\": true"},
		{name: "a deep answer", command: `head -c 500000 /dev/zero | tr '\0' '{'`, want: "[hook h]\n{{{"},
		{name: "many unknown keys", command: `printf '{"deny": false'; for i in {1..2000}; do printf ', "k%s": 1' $i; done; printf '}'`, want: "[hook h]\n(its answer has unknown keys: k1, k10, k100, k1000, k1001 and 1995 more"},
		{name: "ended by a signal", command: "sh -c 'kill -SEGV $$'", want: "[hook h ended with status 139 (signal 11)]"},
		{name: "not found", command: "./no/such/script", want: "[hook h ended with status 127]"},
		{name: "file name of another kind", command: "ls $FILE", want: "[hook h ended with status 2]", post: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			event := hooks.EventPre
			if tt.post {
				event = hooks.EventPost
			}
			d := hook(event, tt.command)
			d.Timeout = cmp.Or(tt.timeout, 5*time.Minute)
			r := runner(t, d)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out := run(t, r, event, hooks.Call{Tool: "Write", Paths: []string{awkward}})
			runtime.ReadMemStats(&after)
			text := out.Reason + out.Feedback
			if !strings.HasPrefix(text, tt.want) || len(text) > hooks.MaxText+500 {
				t.Errorf("got %d bytes, %.300q", len(text), text)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > maxAllocated {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}
