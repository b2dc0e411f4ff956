//go:build linux

package process

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestBackgroundKilled kills aura while 50 commands run in the background, each with processes that left its group: nothing is left. The
// model's next command waits until all of them run.
func TestBackgroundKilled(t *testing.T) {
	t.Parallel()
	const commands, children = 50, 3
	for _, sandbox := range []string{"on", "off"} {
		t.Run("sandbox "+sandbox, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			var calls []string
			for i := range commands {
				command := fmt.Sprintf(`for i in 1 2 %d; do setsid sh -c 'exec 8<hold; : >up%d.'$i'; exec sleep 300' & done; wait`, children, i)
				calls = append(calls, fmt.Sprintf(`{name: Bash, arguments: {background: true, command: %q}}`, command))
			}
			calls = append(calls, fmt.Sprintf(`{name: Bash, arguments: {command: "until test $(ls up* | wc -l) = %d; do sleep 0.1; done; echo all >all; sleep 300"}}`, commands*children))
			p.Write("hold", "")
			p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls:\n      - "+strings.Join(calls, "\n      - ")+"\n  - text: Done.\n")
			if sandbox == "off" {
				p.Write(".aura/config/features/off.yaml", "sandbox: {enabled: false}\n")
			}
			a := p.Start("run", "--without-plugins", "go")
			p.Await("all", "all")
			a.Signal(syscall.SIGKILL)
			a.Wait()
			p.NoProcess()
		})
	}
}
