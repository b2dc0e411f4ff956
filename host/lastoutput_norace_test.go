//go:build !race

package host

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLastOutput checks which words of a child are its last ones if it prints more than is kept, in pieces of any size.
func TestLastOutput(t *testing.T) {
	t.Parallel()
	var others strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&others, "\ngoroutine %d [select (no cases)]:\ninterp.runCfg(0xc000, 0x0?)\n\t/interp/run.go:234 +0x265\n", i+40)
	}
	const (
		frames  = "main.go:26: panic: many.boom(...)\n"
		message = "panic: assignment to entry in nil map\n\ngoroutine 31 [running]:\nmany.boom()\n\tmany@v0.0.0/main.go:26 +0x25\n"
	)
	stacks, noise := others.String(), strings.Repeat("noise\n", tailSize/2)
	rows := []struct {
		name, out, want string
		compiled        bool
	}{
		{"the stacks of many goroutines", noise + frames + message + stacks, "panic: assignment to entry in nil map\n" + strings.TrimSpace(frames), false},
		{"of a compiled plugin", message + stacks, "panic: assignment to entry in nil map\nmany/main.go:26: panic: many.boom()", true},
		{"a fatal error", "runtime: goroutine stack exceeds 1-byte limit\nfatal error: stack overflow\n\nruntime stack:\nruntime.throw()\n" + stacks, "fatal error: stack overflow", false},
		{"the last of two", "panic: old\n" + stacks + "panic: new\n" + stacks, "panic: new", false},
		{"just at the limit", frames + message + stacks[:2*tailSize-len(frames)-len(message)], "panic: assignment to entry in nil map\n" + strings.TrimSpace(frames), false},
		{"a text like a crash", "panic: no\n" + noise + "the\nend\n", "noise\nnoise\nnoise\nnoise\nthe\nend", false},
		{"a crash after a long line", strings.Repeat("x", 5*tailSize) + "\n" + message, "panic: assignment to entry in nil map", false},
		{"no crash", noise + "the\nend\n", "noise\nnoise\nnoise\nnoise\nthe\nend", false},
	}
	for _, row := range rows {
		for _, size := range []int{7, 4096, len(row.out)} {
			o := newLastOutput()
			if _, err := io.CopyBuffer(struct{ io.Writer }{o}, iotest.DataErrReader(strings.NewReader(row.out)), make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if got := excerpt(o.String(), row.compiled); got != row.want {
				t.Errorf("%s, in pieces of %d: got %.300q, want %q", row.name, size, got, row.want)
			}
			if most := 2*tailSize + headSize; len(o.String()) > most {
				t.Errorf("%s: %d bytes are kept, want at most %d", row.name, len(o.String()), most)
			}
		}
	}
}
