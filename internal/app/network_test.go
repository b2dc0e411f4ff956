package app

import (
	"fmt"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/system/netgate"
)

// TestConnections checks what is reported of connections, and that those of a turn are bounded and counted.
func TestConnections(t *testing.T) {
	t.Parallel()
	turn := 1
	var got []event.Network
	c := connections{turn: func() int { return turn }, send: func(e event.Event) { got = append(got, e.(event.Network)) }}
	for _, e := range []netgate.Event{
		{Host: "a.test", Port: 443, Rule: "r"},
		{Host: "b.test", Port: 80, Allowed: true, Rule: "failed"},
		{Host: "c.test", Port: 80, Allowed: true, Address: "9.9.9.9:80", Sent: 1, Received: 2},
	} {
		c.seen("Bash", e)
	}
	want := "[Bash a.test 443 refused 0 0] [Bash b.test 80 failed 0 0] [Bash c.test 80 allowed 1 2] "
	var text string
	for _, e := range got {
		text += fmt.Sprint([]any{e.By, e.Host, e.Port, e.Verdict, e.Sent, e.Received}) + " "
	}
	if text != want {
		t.Errorf("got %q", text)
	}
	for range 2 * maxConnections {
		c.seen("Bash", netgate.Event{Host: "d.test", Allowed: true, Address: "9.9.9.9:80", Sent: 10, Received: 1, Dropped: 1})
	}
	if len(got) != maxConnections {
		t.Errorf("%d events in a turn", len(got))
	}
	turn++
	c.seen("Bash", netgate.Event{Host: "e.test"})
	left := 2*maxConnections - (maxConnections - 3)
	if last := got[len(got)-2]; last.Dropped != left+2*maxConnections || last.Sent != int64(10*left) || last.Received != int64(left) || got[len(got)-1].Host != "e.test" {
		t.Errorf("got %+v", got[len(got)-2:])
	}
	c.end(time.Second)
	if len(got) != maxConnections+2 {
		t.Error("what was counted is reported again")
	}
}
