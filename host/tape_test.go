package host

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/shared"
)

// TestTape checks to which call an ask belongs.
func TestTape(t *testing.T) {
	t.Parallel()
	fixed := time.Unix(9, 0)
	s := newSupervisor(&Options{
		Fixed:    Fixed{Now: func(string) time.Time { return fixed }, Rand: func(string) uint64 { return 7 }},
		Observer: Observer{OnCall: func(context.Context, Call) {}},
	}, Spec{}, nil)
	defer s.life.end()
	c := &child{}
	asks := services{sup: s, child: c, tape: &c.tape}
	ask := func() {
		now, err1 := asks.Now(t.Context())
		n, err2 := asks.Rand(t.Context())
		if !now.Equal(fixed) || n != 7 || err1 != nil || err2 != nil {
			t.Errorf("got %v, %v, %v, %v", now, n, err1, err2)
		}
	}
	first := c.tape.begin()
	ask()
	c.tape.end(first)
	ask() // while no call runs
	second := c.tape.begin()
	c.tape.end(second)
	third := c.tape.begin()
	fourth := c.tape.begin()
	ask()
	c.tape.end(third)
	c.tape.end(fourth)
	for i, tt := range []struct {
		call  *taped
		asked int
		mixed bool
	}{{first, 2, false}, {second, 2, true}, {third, 2, true}, {fourth, 2, true}} {
		if len(tt.call.asked) != tt.asked || tt.call.mixed != tt.mixed {
			t.Errorf("call %d: got %+v", i+1, tt.call)
		}
	}
	if got := first.asked[0]; got.Now == nil || !got.Now.Equal(fixed) || first.asked[1].Rand == nil {
		t.Errorf("got %+v", first.asked)
	}
}

// TestTapeBounds checks which asks are kept, and that a plugin cannot make aura keep any number of them.
func TestTapeBounds(t *testing.T) {
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
