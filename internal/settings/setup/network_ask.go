package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/netgate"
)

const (
	// maxQuestions is how many questions a program puts at once: a call of a tool, or a plugin, a hook or a server. After that it puts one
	// every moreQuestions.
	maxQuestions  = 16
	moreQuestions = 10 * time.Minute
	// longestReason is how much of a command line is in a question, in bytes. The host must stay visible.
	longestReason = 400
)

// questions bounds how often the user is asked about the connections of a program.
type questions struct {
	// left is how many the program may put at the time since.
	left  float64
	since time.Time
}

// putAnother reports whether the program may put another question, and counts it.
func (q *questions) putAnother() bool {
	now := time.Now()
	q.left = min(maxQuestions, q.left+now.Sub(q.since).Seconds()/moreQuestions.Seconds())
	q.since = now
	if q.left < 1 {
		return false
	}
	q.left--
	return true
}

// askHost decides about a host that no rule of the network names. count bounds the questions of the program; the lock that is held while the
// user is asked guards it. What is approved does not wait for that.
func (s Source) askHost(ctx context.Context, p caller, count *questions, q netgate.Question) netgate.Answer {
	about := policy.Call{
		Tool: policy.HostTool, Source: p.source, Rule: policy.HostRule, Workdir: s.ApprovalDir(),
		Host: net.JoinHostPort(q.Host, strconv.Itoa(int(q.Port))),
	}
	why, whole := p.shown()
	asked := policy.Question{
		Tool: policy.HostTool, Args: map[string]any{"host": about.Host, "for": p.label()}, Rule: about.Rule, By: p.label(),
		Pattern: about.Pattern(), Covers: "this host and port", About: about,
		Access: &policy.Access{What: "connect to " + about.Host, Why: why, Grant: true, Outside: p.leave != nil && whole},
	}
	decision, err := s.askAccess(ctx, asked, func() error {
		if !count.putAnother() {
			return fmt.Errorf("the user was asked about %d hosts already; do not try further hosts", maxQuestions)
		}
		return nil
	})
	_, refused := errors.AsType[*policy.RefusedError](err)
	switch {
	case refused:
		return netgate.Answer{Rule: err.Error()}
	case err != nil:
		return netgate.Answer{Rule: q.Rule + ", and " + err.Error()}
	case decision == policy.Outside:
		p.leave()
		<-ctx.Done() // an answer would let the command go on before the call has ended
		return netgate.Answer{Rule: "the user lets the call run outside of the sandbox instead"}
	default:
		return netgate.Answer{Allowed: true, Rule: "the user said yes"}
	}
}

const (
	// wholeReason and wholeLines are how much of a command line a question shows as it is.
	wholeReason = 2000
	wholeLines  = 20
)

// shown returns lines that say who wants something, and what for. whole is set if they show all of the command line. Otherwise nobody could decide
// whether it may run without limits.
func (p caller) shown() (lines []string, whole bool) {
	lines = strings.Split(strings.Trim(p.doing, "\n"), "\n")
	if p.doing == "" || len(p.doing) > wholeReason || len(lines) > wholeLines {
		return []string{"for " + p.label()}, false
	}
	lines[0] = "for " + p.who + ": " + lines[0]
	for i := range lines[1:] {
		lines[i+1] = "    " + lines[i+1]
	}
	return lines, true
}

// label says who uses the network, and what for.
func (p caller) label() string {
	if p.doing == "" {
		return p.who
	}
	return p.who + ": " + limit.Shorten(plaintext.OneLine(p.doing), longestReason)
}
