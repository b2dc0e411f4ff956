//go:build linux

package process

import (
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestKilledAuraGoesOn kills aura and goes on with the session: nothing that was complete is lost, and the model gets a
// history that it can answer.
func TestKilledAuraGoesOn(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *harness.Project, m moment) {
		a := p.Start(m.args()...)
		m.come(p)
		a.Signal(syscall.SIGKILL)
		a.Wait()
		p.NoProcess()
		before := p.Saved()
		p.Check(os.RemoveAll(p.Path(".aura/plugins/bad")))
		p.Write(".aura/config/talk.yaml", "turns: [{text: Going on.}]\n")
		p.Run("run", "--continue", "and now")
		after := p.Saved()
		harness.Complete(p.T, after)
		if len(after.Messages) < len(before.Messages)+2 || after.End == nil {
			p.T.Fatalf("%d messages became %d, end %v", len(before.Messages), len(after.Messages), after.End)
		}
		for i, was := range before.Messages {
			if is := after.Messages[i]; is.Role != was.Role || is.Content != was.Content || !slices.EqualFunc(is.ToolCalls, was.ToolCalls,
				func(a, b llm.ToolCall) bool { return a.ID == b.ID }) {
				p.T.Errorf("message %d was %+v and is %+v", i, was, is)
			}
		}
		if last := after.Messages[len(after.Messages)-1]; last.Content != "Going on." {
			p.T.Errorf("the last message is %q", last.Content)
		}
		p.NoTrace()
	})
}
