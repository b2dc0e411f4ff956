package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// TestServices checks what a child can ask, which may be anything: a child is not trusted.
func TestServices(t *testing.T) {
	t.Parallel()
	s := services{sup: newSupervisor(&Options{}, Spec{}, nil), child: &child{}}
	s.sup.peers = func() []*Plugin { return nil }
	long := strings.Repeat("n", limit.EventName)
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"an event":             {s.Emit(t.Context(), long, make([]byte, sdk.MaxPayload)), ""},
		"no name":              {s.Emit(t.Context(), "", nil), "emitting an event: it has no name"},
		"a long name":          {s.Emit(t.Context(), long+"n", nil), "emitting an event: its name has 257 bytes, more than the limit of 256"},
		"a large payload":      {s.Emit(t.Context(), "n", make([]byte, sdk.MaxPayload+1)), "emitting an event: its payload has 65537 bytes, more than the limit of 64 KiB"},
		"listening":            {s.Listen(t.Context(), long), ""},
		"listening to nothing": {s.Listen(t.Context(), ""), "listening to an event: it has no name"},
		"no place for state": {func() error {
			_, err := s.State(t.Context(), shared.StateRequest{Op: shared.StateGet})
			return err
		}(), "asking for state: there is no place to keep it"},
	} {
		got := ""
		if row.err != nil {
			got = row.err.Error()
		}
		if got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
	for i := range limit.EventNames - 1 {
		if err := s.Listen(t.Context(), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Listen(t.Context(), "0"); err != nil {
		t.Errorf("listening again: %v", err)
	}
	if err := s.Listen(t.Context(), "further"); err == nil {
		t.Error("there is no limit")
	}
	if got := s.sup.mail.snapshot().Emitted; got != 1 {
		t.Errorf("%d events are counted", got)
	}
}

// TestIdleClock checks what counts of the time of an event.
func TestIdleClock(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	k := idleClock{since: start}
	changed := k.await()
	k.begin(at(2))
	<-changed
	k.begin(at(3))
	k.end(at(5))
	if got := k.at(at(9)); got != 2*time.Second {
		t.Errorf("while a call runs, the clock shows %s", got)
	}
	changed = k.await()
	k.end(at(10))
	<-changed
	if got := k.at(at(14)); got != 6*time.Second {
		t.Errorf("after the calls, the clock shows %s", got)
	}
}

// TestMailbox checks that a mailbox holds as much as it may, and that every event is counted.
func TestMailbox(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"many": 0, "large": sdk.MaxPayload} {
		var m mailbox
		all := limit.WaitingEvents + 10
		for i := range all {
			if first := m.add(shared.EventCall{Name: "n", Payload: make([]byte, size)}); first != (i == 0) {
				t.Errorf("%s: event %d starts the delivery: %t", name, i, first)
			}
		}
		most := int64(limit.WaitingEvents)
		if size > 0 {
			most = int64(limit.WaitingEventBytes / (size + 1))
		}
		if got := m.snapshot(); got.Waiting != most || got.Dropped != int64(all)-most {
			t.Errorf("%s: got %+v", name, got)
		}
		if _, ok := m.next(); !ok {
			t.Errorf("%s: there is no event", name)
		}
		m.count(func(c *EventCounts) { c.Waiting--; c.Delivered++ })
		delivering := m.delivering
		go func() {
			for ok := true; ok; _, ok = m.next() {
			}
		}()
		m.close()
		<-delivering
		if m.add(shared.EventCall{}) {
			t.Errorf("%s: a closed mailbox delivers", name)
		}
		if got := m.snapshot(); got.Delivered+got.Dropped+got.Waiting != int64(all)+1 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
