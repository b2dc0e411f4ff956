package host

import (
	"testing"
	"time"
)

// TestTape checks to which call an ask belongs.
func TestTape(t *testing.T) {
	t.Parallel()
	fixed := time.Unix(9, 0)
	s := newSupervisor(&Options{
		OnCall: func(Call) {}, Now: func(string) time.Time { return fixed }, Rand: func(string) uint64 { return 7 },
	}, Spec{}, nil)
	defer s.end()
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
