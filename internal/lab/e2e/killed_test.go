//go:build linux

package e2e

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestKilledAuraGoesOn kills aura and goes on with the session: nothing that was complete is lost, and the model gets a
// history that it can answer.
func TestKilledAuraGoesOn(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *project, m moment) {
		a := p.start(m.args()...)
		m.come(p)
		a.signal(syscall.SIGKILL)
		a.wait()
		p.noProcess()
		before := p.saved()
		p.check(os.RemoveAll(p.path(".aura/plugins/bad")))
		p.write(".aura/config/talk.yaml", "turns: [{text: Going on.}]\n")
		p.run("run", "--continue", "and now")
		after := p.saved()
		complete(p.t, after)
		if len(after.Messages) < len(before.Messages)+2 || after.End == nil {
			p.t.Fatalf("%d messages became %d, end %v", len(before.Messages), len(after.Messages), after.End)
		}
		for i, was := range before.Messages {
			if is := after.Messages[i]; is.Role != was.Role || is.Content != was.Content || !slices.EqualFunc(is.ToolCalls, was.ToolCalls,
				func(a, b llm.ToolCall) bool { return a.ID == b.ID }) {
				p.t.Errorf("message %d was %+v and is %+v", i, was, is)
			}
		}
		if last := after.Messages[len(after.Messages)-1]; last.Content != "Going on." {
			p.t.Errorf("the last message is %q", last.Content)
		}
		p.noTrace()
	})
}
