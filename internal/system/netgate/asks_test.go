package netgate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// TestAsk checks what becomes of a host that no rule names, and that connections that come meanwhile wait for the same answer.
func TestAsk(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ask     func(context.Context, Question) Answer
		allowed bool
		rule    string
	}{
		"nobody": {nil, false, "nobody can be asked here"},
		"yes":    {func(context.Context, Question) Answer { return Answer{true, "the user said yes"} }, true, "the user said yes"},
		"no":     {func(context.Context, Question) Answer { return Answer{false, "the user said no: why"} }, false, "the user said no: why"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testSession(t, Owner{Ask: tt.ask})
			s.rules.Ask = true
			if got := read(t, s.answer(question("a.test", dnsmessage.TypeA, 1))); got != "RCodeSuccess 198.18.0.1" {
				t.Fatal(got)
			}
			if allowed, rule := s.decide(t.Context(), "a.test", 443); allowed != tt.allowed || !strings.Contains(rule, tt.rule) {
				t.Errorf("got %v, %q", allowed, rule)
			}
			// What the rules decide is not asked.
			if allowed, rule := s.decide(t.Context(), "10.0.0.1", 443); allowed || !strings.Contains(rule, "not public") {
				t.Errorf("an address that is not public: got %v, %q", allowed, rule)
			}
		})
	}
}

// TestAskOnce opens many connections to some hosts while the questions wait: each host is asked about once, and only some hosts.
func TestAskOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		put := map[string]int{}
		answered := make(chan struct{})
		s := testSession(t, Owner{Ask: func(_ context.Context, q Question) Answer {
			mu.Lock()
			put[q.Host]++
			mu.Unlock()
			<-answered
			return Answer{Allowed: true}
		}})
		s.rules.Ask = true
		var all sync.WaitGroup
		var allowed, refused int
		for i := range 3 * (maxAsked + 4) {
			all.Go(func() {
				ok, rule := s.decide(t.Context(), fmt.Sprintf("h%d.test", i%(maxAsked+4)), 443)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case ok:
					allowed++
				case strings.Contains(rule, "too many questions"):
					refused++
				}
			})
		}
		synctest.Wait()
		close(answered)
		all.Wait()
		if len(put) != maxAsked || allowed != 3*maxAsked || refused != 3*4 {
			t.Errorf("%d hosts asked, %d connections allowed, %d refused", len(put), allowed, refused)
		}
		for host, times := range put {
			if times != 1 {
				t.Errorf("%s was asked about %d times", host, times)
			}
		}
	})
}

// TestReports checks that a flood of events is bounded and counted.
func TestReports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reported, dropped := 0, 0
		r := newReports(func(e Event) {
			reported++
			dropped += e.Dropped
		})
		const flood = 10_000
		for range flood {
			r.add(Event{})
		}
		if reported != maxReports || dropped != 0 {
			t.Errorf("%d events at once", reported)
		}
		time.Sleep(time.Second)
		for range flood {
			r.add(Event{})
		}
		if want := maxReports + reportsPerSecond; reported != want || dropped != flood-maxReports {
			t.Errorf("%d events, want %d; %d counted as dropped", reported, want, dropped)
		}
	})
}
