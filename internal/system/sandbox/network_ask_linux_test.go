package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/netgate"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestNetworkAsk checks that a host that no rule names is reached if the user says so, and that everything that happened is seen.
func TestNetworkAsk(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	host := fmt.Sprintf("p%d.test", port)
	for name, tt := range map[string]struct {
		answer     netgate.Answer
		err, seen  string
		refused    int
		value      string
		unanswered bool
	}{
		"yes":    {answer: netgate.Answer{Allowed: true, Rule: "said yes"}, value: `"hello"`, seen: "true said yes"},
		"no":     {answer: netgate.Answer{Rule: "said no: why"}, err: "reset", seen: "false said no: why", refused: 1},
		"nobody": {unanswered: true, err: "reset", seen: "false ask: no rule names " + host + ":80, and nobody can be asked here", refused: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := c
			rules := *c.Policy.Hosts
			rules.Ask = true
			c.Policy.Hosts = &rules
			seen := make(chan netgate.Event, 1)
			asked := make(chan netgate.Question, 1)
			o := sandbox.Observer{Seen: func(e netgate.Event, during bool) {
				if !during {
					t.Error("the call has ended")
				}
				seen <- e
			}}
			if !tt.unanswered {
				o.Ask = func(_ context.Context, q netgate.Question) netgate.Answer {
					asked <- q
					return tt.answer
				}
			}
			c.Policy = c.Policy.With(sandbox.NewTraffic(o))
			c.Call.Args, _ = json.Marshal(deed{"read", host + ":80"})
			r, err := sandbox.Run(t.Context(), c)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) || string(r.Value) != tt.value || len(r.Refused) != tt.refused {
				t.Errorf("got %s, %v, refused %v", r.Value, err, r.Refused)
			}
			if e := <-seen; e.Host != host || e.Port != 80 || fmt.Sprint(e.Allowed, " ", e.Rule) != tt.seen || e.Allowed && e.Received != int64(len("hello")) {
				t.Errorf("seen %+v", e)
			}
			if !tt.unanswered {
				if q := <-asked; q.Host != host || q.Port != 80 {
					t.Errorf("asked %+v", q)
				}
			}
		})
	}
}

// TestNetworkAskEnds checks that a question is withdrawn when the process ends, and when the gate dies.
func TestNetworkAskEnds(t *testing.T) {
	t.Parallel()
	for _, gate := range []bool{false, true} {
		t.Run(fmt.Sprint("gate ", gate), func(t *testing.T) {
			t.Parallel()
			c, port := netScene(t)
			rules := *c.Policy.Hosts
			rules.Ask = true
			c.Policy.Hosts = &rules
			asked, withdrawn := make(chan struct{}), make(chan struct{})
			c.Policy = c.Policy.With(sandbox.NewTraffic(sandbox.Observer{Ask: func(ctx context.Context, _ netgate.Question) netgate.Answer {
				close(asked)
				<-ctx.Done()
				close(withdrawn)
				return netgate.Answer{Allowed: true}
			}}))
			c.Call.Args, _ = json.Marshal(deed{"read", fmt.Sprintf("p%d.test:80", port)})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan string, 1)
			go func() {
				r, err := sandbox.Run(ctx, c)
				ended <- fmt.Sprintf("%s %v", r.Value, err)
			}()
			<-asked
			if gate {
				c.Policy.KillGate()
			} else {
				cancel()
			}
			<-withdrawn
			if got := <-ended; strings.Contains(got, "hello") {
				t.Errorf("the connection was made: %s", got)
			}
		})
	}
}

// TestNetworkDefault checks the rules that apply without settings: hosts of presets are allowed, and the user is asked about others.
func TestNetworkDefault(t *testing.T) {
	t.Parallel()
	c, port := netScene(t)
	rules := network.Default()
	c.Policy.Hosts = &rules
	preset, other := fmt.Sprintf("p%d.example", port), fmt.Sprintf("p%d.test", port)
	asked := make(chan netgate.Question, 1)
	c.Policy = c.Policy.With(sandbox.NewTraffic(sandbox.Observer{
		Ask: func(_ context.Context, q netgate.Question) netgate.Answer {
			asked <- q
			return netgate.Answer{Rule: "said no"}
		},
		Presets: func([]string) map[string][]network.Pattern {
			return map[string][]network.Pattern{"npm": patterns(t, preset+":443")}
		},
	}))
	for at, want := range map[string]string{preset + ":443": `"hello" <nil>`, other + ":443": "reset"} {
		c.Call.Args, _ = json.Marshal(deed{"read", at})
		r, err := sandbox.Run(t.Context(), c)
		if got := fmt.Sprintf("%s %v", r.Value, err); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, refused %v", at, got, r.Refused)
		}
	}
	if q := <-asked; q.Host != other {
		t.Errorf("asked about %s", q.Host)
	}
}
