//go:build linux

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

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

// TestBackgroundForks ends background commands whose processes start successors in sessions of their own without an end, faster than anybody can list
// them: nothing is left.
func TestBackgroundForks(t *testing.T) {
	t.Parallel()
	const chains = 3
	for _, sandbox := range []string{"on", "off"} {
		for _, ended := range []string{"by the model", "by the end of the session", "by the end of aura"} {
			t.Run("sandbox "+sandbox+" "+ended, func(t *testing.T) { //nolint:paralleltest // the chains would only slow each other down
				p := harness.NewProject(t)
				// A chain may be missed where processes are listed. The pipe ends with the last process that has it open.
				p.Check(syscall.Mkfifo(p.Path("alive"), 0o600))
				alive, err := os.OpenFile(p.Path("alive"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
				p.Check(err)
				defer alive.Close()
				p.Write("chain.sh", ": >up$1\nsetsid sh chain.sh $1 &\n")
				calls := []string{
					fmt.Sprintf(`[{name: Bash, arguments: {background: true, command: "exec 8>alive; for i in $(seq %d); do setsid sh chain.sh $i & done; sleep 300"}}]`, chains),
					fmt.Sprintf(`[{name: Bash, arguments: {command: "until test $(ls up* | wc -l) = %d; do sleep 0.1; done; echo all >all"}}]`, chains),
				}
				switch ended {
				case "by the model":
					calls = append(calls, `[{name: BashKill, arguments: {id: b1}}]`, `[{name: Bash, arguments: {command: "echo killed >killed; until test -e seen; do sleep 0.1; done"}}]`)
				case "by the end of aura":
					calls = append(calls, `[{name: Bash, arguments: {command: "sleep 300"}}]`)
				}
				p.Write(".aura/config/talk.yaml", "turns:\n  - tool_calls: "+strings.Join(calls, "\n  - tool_calls: ")+"\n  - text: Done.\n")
				if sandbox == "off" {
					p.Write(".aura/config/features/off.yaml", "sandbox: {enabled: false}\n")
				}
				a := p.Start("run", "--without-plugins", "go")
				p.Await("all", "all")
				if ended == "by the end of aura" {
					a.Signal(syscall.SIGKILL)
				}
				if ended == "by the model" {
					p.Await("killed", "killed")
				} else {
					a.Wait()
				}
				p.Check(alive.SetReadDeadline(time.Now().Add(harness.Patience)))
				if _, err := alive.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
					t.Errorf("processes went on: %v", err)
				}
				p.Write("seen", "")
				a.Wait()
				p.NoProcess()
			})
		}
	}
}
