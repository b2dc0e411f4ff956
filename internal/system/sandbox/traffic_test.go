package sandbox

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
)

// TestTrafficAsks checks how often the user is asked about the connections of a program.
func TestTrafficAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, answered := 0, make(chan struct{})
		traffic := NewTraffic(Observer{Ask: func(context.Context, netgate.Question) netgate.Answer {
			asked++
			<-answered
			return netgate.Answer{Allowed: true}
		}})
		q := netgate.Question{Host: "a.test", Port: 443}
		use := traffic.Begin()
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if !traffic.decide(t.Context(), network.Rules{}, q).Allowed {
					t.Error("refused")
				}
			})
		}
		synctest.Wait()
		close(answered)
		all.Wait()
		traffic.decide(t.Context(), network.Rules{}, q)
		if asked != 1 {
			t.Errorf("asked %d times in a call", asked)
		}
		use.End()
		traffic.decide(t.Context(), network.Rules{}, q)
		traffic.decide(t.Context(), network.Rules{}, q)
		if asked != 3 {
			t.Errorf("asked %d times, want once more for each connection after the call", asked)
		}
	})
}

// TestTrafficRefused checks how long the user's no counts: for a call, and between calls until the next one begins. A program that tries
// again and again does not ask again and again.
func TestTrafficRefused(t *testing.T) {
	t.Parallel()
	asked := 0
	traffic := NewTraffic(Observer{Ask: func(context.Context, netgate.Question) netgate.Answer {
		asked++
		return netgate.Answer{}
	}})
	connects := func(want int) {
		t.Helper()
		for range 100 {
			traffic.decide(t.Context(), network.Rules{}, netgate.Question{Host: "a.test", Port: 443})
		}
		if asked != want {
			t.Errorf("asked %d times, want %d", asked, want)
		}
	}
	connects(1)
	use := traffic.Begin()
	connects(2)
	use.End()
	connects(3)
}

// TestTrafficBounded checks the limits of questions that wait and of refusals in a result.
func TestTrafficBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		traffic := NewTraffic(Observer{Ask: func(ctx context.Context, _ netgate.Question) netgate.Answer {
			<-ctx.Done()
			return netgate.Answer{}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range maxWaiting {
			all.Go(func() { traffic.decide(ctx, network.Rules{}, netgate.Question{Host: fmt.Sprint(i)}) })
		}
		synctest.Wait()
		if a := traffic.decide(ctx, network.Rules{}, netgate.Question{Host: "one more"}); a.Allowed || !strings.Contains(a.Rule, "too many questions") {
			t.Errorf("got %+v", a)
		}
		cancel()
		all.Wait()
		use := traffic.Begin()
		for range 2 {
			for i := range maxRefused + 10 {
				traffic.add(netgate.Event{Host: fmt.Sprint(i), Rule: "r"})
			}
		}
		traffic.add(netgate.Event{Host: "b", Allowed: true, Address: "9.9.9.9:443", Dropped: 5})
		refused, dropped := use.End()
		if len(refused) != maxRefused || dropped != 2*10+5 {
			t.Errorf("%d refusals, %d dropped", len(refused), dropped)
		}
		text := ExplainNetwork(refused, dropped)
		if !strings.Contains(text, fmt.Sprintf("refuse %d (r)", maxRefused-1)) {
			t.Errorf("the last refusal is not in %s", text)
		}
		if want := fmt.Sprintf("[sandbox] %d further connections or names are not listed here", maxRefused-maxRefusals+25); !strings.HasSuffix(text, want) {
			t.Errorf("got %s", text)
		}
	})
}
