package host

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/shared"
)

// TestTape checks which asks belong to which call, and that a plugin cannot make aura keep any number of them.
func TestTape(t *testing.T) {
	t.Parallel()
	ask := func(bytes int) Ask {
		return Ask{State: &StateAsk{Answer: shared.StateAnswer{Value: strings.Repeat("x", bytes)}}}
	}
	many := func(n, bytes int) func(*tape) {
		return func(t *tape) {
			for range n {
				t.add(ask(bytes))
			}
		}
	}
	for _, row := range []struct {
		rule           string
		before, during func(*tape)
		others         int
		asked          int
		mixed          bool
	}{
		{"nothing", many(0, 0), many(0, 0), 0, 0, false},
		{"its own asks", many(0, 0), many(3, 1), 0, 3, false},
		{"asks before the call", many(2, 1), many(3, 1), 0, 5, true},
		{"another call", many(0, 0), many(3, 1), 1, 3, true},
		{"the most asks", many(0, 0), many(maxAsks, 0), 0, maxAsks, false},
		{"too many asks", many(0, 0), many(maxAsks+1, 0), 0, maxAsks, true},
		{"the most bytes", many(0, 0), many(4, maxAskBytes/4), 0, 4, false},
		{"too many bytes", many(0, 0), many(5, maxAskBytes/4), 0, 4, true},
		{"too many bytes before the call", many(5, maxAskBytes/4), many(1, 1), 0, 4, true},
	} {
		var tape tape
		row.before(&tape)
		call := tape.begin()
		for range row.others {
			tape.end(tape.begin())
		}
		row.during(&tape)
		tape.end(call)
		if len(call.asked) != row.asked || call.mixed != row.mixed {
			t.Errorf("%s: %d asks, mixed %t; want %d, %t", row.rule, len(call.asked), call.mixed, row.asked, row.mixed)
		}
		if len(tape.running) != 0 || len(tape.loose.asked) != 0 {
			t.Errorf("%s: the tape keeps %d calls and %d asks", row.rule, len(tape.running), len(tape.loose.asked))
		}
	}
}
