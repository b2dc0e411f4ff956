package setup

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/netgate"
)

// TestQuestionsBounded lets a program connect to 10,000 hosts at once: the user is asked about some of them, the rest is refused without a
// question, and the refusal says why. What the user approved is no question. Later there may be further ones.
func TestQuestionsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := Source{
			Config: &config.Config{Workdir: t.TempDir()}, Traffic: NewTraffic(nil), Approvals: &policy.Approvals{},
			Confirm: func(_ context.Context, q policy.Question) (policy.Answer, error) {
				asked++
				return policy.Answer{Decision: policy.Session, Pattern: q.Pattern}, nil
			},
		}
		p := caller{who: "Bash", source: builtinProgram, doing: strings.Repeat("true; ", 1000)}
		put := questions{left: maxQuestions, since: time.Now()}
		ask := func(n int) netgate.Answer {
			return s.askHost(t.Context(), p, &put, netgate.Question{Host: fmt.Sprintf("h%d.test", n), Port: 443, Rule: "ask"})
		}
		hosts := testneed.Times(500, 10_000)
		for n := range hosts {
			a := ask(n)
			if a.Allowed != (n < maxQuestions) || !a.Allowed && a.Rule != "ask, and the user was asked about 16 hosts already; do not try further hosts" {
				t.Fatalf("host %d: %+v", n, a)
			}
		}
		if !ask(0).Allowed || asked != maxQuestions {
			t.Errorf("asked %d times", asked)
		}
		time.Sleep(moreQuestions)
		if !ask(hosts).Allowed || ask(hosts+1).Allowed || asked != maxQuestions+1 {
			t.Errorf("asked %d times later", asked)
		}
		if label := p.label(); len(label) > 2*longestReason {
			t.Errorf("the question has a text of %d bytes", len(label))
		}
	})
}

// TestApprovedBesideQuestion connects to a host that the user approved, while the user is asked about another one: it does not wait.
func TestApprovedBesideQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{})
		s := Source{
			Config: &config.Config{Workdir: t.TempDir()}, Traffic: NewTraffic(nil), Approvals: &policy.Approvals{},
			Confirm: func(_ context.Context, q policy.Question) (policy.Answer, error) {
				if strings.HasPrefix(q.About.Host, "slow") {
					<-answered
				}
				return policy.Answer{Decision: policy.Session, Pattern: q.Pattern}, nil
			},
		}
		p, count := caller{who: "Bash", source: builtinProgram}, questions{left: maxQuestions, since: time.Now()}
		ask := func(host string) netgate.Answer {
			return s.askHost(t.Context(), p, &count, netgate.Question{Host: host, Port: 443, Rule: "ask"})
		}
		ask("a.test")
		done := make(chan struct{})
		go func() {
			defer close(done)
			ask("slow.test")
		}()
		synctest.Wait()
		if !ask("a.test").Allowed {
			t.Error("an approved host is refused")
		}
		close(answered)
		<-done
	})
}

// TestOutsideEndsCall lets a call run without the sandbox. The connection that asked gets no answer before the call has ended: otherwise the
// command could go on with what it does if a host cannot be reached.
func TestOutsideEndsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := Source{
			Config: &config.Config{Workdir: t.TempDir()}, Traffic: NewTraffic(nil), Approvals: &policy.Approvals{},
			Confirm: func(context.Context, policy.Question) (policy.Answer, error) {
				return policy.Answer{Decision: policy.Outside}, nil
			},
		}
		left := false
		p, count := caller{who: "Bash", source: builtinProgram, doing: "curl h.test", leave: func() { left = true }}, questions{left: maxQuestions, since: time.Now()}
		call, end := context.WithCancel(t.Context())
		defer end()
		var answer *netgate.Answer
		go func() {
			a := s.askHost(call, p, &count, netgate.Question{Host: "h.test", Port: 443, Rule: "ask"})
			answer = &a
		}()
		synctest.Wait()
		if !left || answer != nil {
			t.Errorf("the call was ended: %v; the connection got %+v", left, answer)
		}
		end()
		synctest.Wait()
		if answer == nil || answer.Allowed {
			t.Errorf("after the call, the connection got %+v", answer)
		}
	})
}
