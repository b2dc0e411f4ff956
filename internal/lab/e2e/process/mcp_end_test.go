//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// keeperLeaves starts a process that holds the file "hold" open. It leaves its session, loses its parent, ignores signals, and has an
// empty environment.
const keeperLeaves = `(env -i setsid sh -c 'trap "" TERM HUP INT; >born; exec tail -f "$0"' "$PWD/hold" </dev/null >/dev/null 2>&1 &)`

// leaver is an MCP server. Its tool "keep" leaves a process behind, and its tool "die" ends the server.
const leaver = `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"keeper","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"keep","description":"Keeps","inputSchema":{"type":"object"}},{"name":"die","description":"Dies","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*'"die"'*) exit 3 ;;
    *'"tools/call"'*) ` + keeperLeaves + `; while ! test -e born; do sleep 0.01; done; result='{"content":[{"type":"text","text":"kept"}]}' ;;
    *) result='{}' ;;
  esac
  [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
`

const keeperTalk = `model: {name: talker, context_length: 8192, capabilities: [tools]}
turns:
  - tool_calls: [{name: mcp__keeper__keep, arguments: {}}]
`

// TestMCPServersEnd lets an MCP server leave a process that neither its group nor its environment leads to. The process ends
// with the server and with aura, for every user, with and without namespaces. The control shows that it survives a shell.
func TestMCPServersEnd(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	for _, s := range append([]setting{{"current_user", func(*harness.Project) {}}}, settings...) {
		for name, row := range map[string]struct {
			talk string
			// pattern appears on standard error when the process is there, or was.
			pattern string
			end     func(p *harness.Project, a *harness.Aura)
		}{
			"session ends": {"  - text: All done.\n", `keeper__keep .*kept`, func(p *harness.Project, a *harness.Aura) {
				if code := a.Wait(); code != 0 {
					p.T.Errorf("exit code %d\n%s", code, p.Stderr())
				}
			}},
			"aura killed": {"  - delay: 600s\n", `keeper__keep .*kept`, func(p *harness.Project, a *harness.Aura) {
				p.Until("the process", func() bool { return harness.Held(p.Path("hold")) })
				a.Signal(syscall.SIGKILL)
				a.Wait()
			}},
			"server dies": {"  - tool_calls: [{name: mcp__keeper__die, arguments: {}}]\n  - delay: 600s\n", `keeper__die failed.*the next call connects again`, func(p *harness.Project, a *harness.Aura) {
				p.Until("the end of the process, while aura runs", func() bool { return !harness.Held(p.Path("hold")) })
				a.Signal(syscall.SIGTERM)
				a.Wait()
			}},
		} {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := harness.NewProject(t)
				p.Write("hold", "")
				p.Write("keeper.sh", leaver)
				p.Write(".aura/config/mcp/keeper.yaml", "keeper: {command: sh, args: [keeper.sh]}\n")
				p.Write(".aura/config/talk.yaml", keeperTalk+row.talk)
				s.prepare(p)
				a := p.Start("run", "--without-plugins", "hi")
				p.Await("stderr.txt", row.pattern)
				row.end(p, a)
				p.NoProcess()
				if name != "aura killed" { // the next start removes what a killed session leaves; see TestKilledAuraGoesOn
					p.NoTrace()
				}
			})
		}
	}
	t.Run("control", survivesShell)
}

// survivesShell is the control: what keeperLeaves starts survives a shell that nothing reaps.
func survivesShell(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Write("hold", "")
	cmd := exec.Command("sh", "-c", keeperLeaves)
	cmd.Dir, cmd.SysProcAttr = p.Dir, &syscall.SysProcAttr{Setsid: true}
	p.Check(cmd.Run())
	p.Until("the process", func() bool { return harness.Held(p.Path("hold")) })
	for _, stray := range harness.Strays(p.Dir) {
		process, err := os.FindProcess(stray)
		p.Check(err)
		p.Check(process.Kill())
	}
	p.NoProcess()
}

// TestUnconfinedBashEnds lets Bash leave such a process where the sandbox is off. It ends with the call and with aura. The control shows
// that it survives a shell.
func TestUnconfinedBashEnds(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	const command = "command=" + keeperLeaves + "; while ! test -e born; do sleep 0.01; done"
	for _, s := range append([]setting{{"current_user", func(*harness.Project) {}}}, settings...) {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/killed %t", s.name, killed), func(t *testing.T) {
				t.Parallel()
				p := harness.NewProject(t)
				p.Write("hold", "")
				p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {enabled: false}\n")
				s.prepare(p)
				if killed {
					a := p.Start("tools", "run", "Bash", command+"; tail -f /dev/null")
					p.Until("the process", func() bool { return harness.Held(p.Path("hold")) })
					a.Signal(syscall.SIGKILL)
					a.Wait()
				} else {
					p.Run("tools", "run", "Bash", command)
				}
				p.NoTrace()
			})
		}
	}
	t.Run("control", survivesShell)
}
