package interp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/shared"
)

// hangDelay is how long a call may continue after the deadline of its context before the report. The process is killed later.
const hangDelay = shared.Grace / 2

// The limits of a report: its goroutines, and the functions of each.
const (
	hangGoroutines = 10
	hangFunctions  = 4
)

// watch reports where the plugin's goroutines are if a call continues after the deadline of its context. The caller calls stop when the call ends.
func (t *trace) watch(ctx context.Context) (stop func()) {
	ended := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return
		}
		select {
		case <-ended:
		case <-time.After(hangDelay):
			text := make([]byte, 16*maxTrace)
			_, _ = io.WriteString(t.out, t.relative(hanging(string(text[:runtime.Stack(text, true)]))))
		}
	})
	return func() {
		close(ended)
		unwatch()
	}
}

// goroutineState matches the first line of the trace of a goroutine: its number, and what it does.
var goroutineState = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^goroutine \d+ (?:.*)\[([^],]+)`) })

// hanging returns a line for each goroutine with functions of the source: where it is and what it does.
func hanging(traces string) string {
	var out strings.Builder
	n := 0
	for trace := range strings.SplitSeq(traces, "\n\n") {
		list := inSource(trace)
		if p, ok := betweenNodes(trace); ok {
			list = slices.Insert(list, 0, p)
		}
		m := goroutineState().FindStringSubmatch(trace)
		// A goroutine that waits for the next segment of its stack is shown by that.
		if len(list) == 0 || m == nil || strings.Contains(trace, ".(*stackEnd).further(") {
			continue
		}
		if n++; n > hangGoroutines {
			break
		}
		state := strings.Replace(m[1], "runnable", "running", 1)
		fmt.Fprintf(&out, "%s%s (%s)", shared.HangPrefix, shownPlace(list[0]), state)
		for _, p := range list[1:min(len(list), hangFunctions)] {
			out.WriteString(" < " + shownPlace(p))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// shownPlace returns the function and the line of a place.
func shownPlace(p place) string {
	return fmt.Sprintf("%s, %s:%d", path.Base(p.function), p.file, p.line)
}
