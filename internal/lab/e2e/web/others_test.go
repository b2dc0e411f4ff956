//go:build linux

package web

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestWebOtherUser lets a process of another user of the machine ask for pages: by the port it gets nothing without the token, and it finds neither
// the token nor the socket.
func TestWebOtherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		testneed.Missing(t, testneed.Root, "only root starts processes of another user")
	}
	p := harness.NewProject(t)
	p.Run("run", "hi")
	cmd := p.Command("web")
	s := serving(p, cmd)
	open, err := os.MkdirTemp("", "aura") //nolint:usetesting // the path of a socket must be short, and others may enter
	p.Check(err)
	p.T.Cleanup(func() { _ = os.RemoveAll(open) })
	p.Check(os.Chmod(open, 0o755)) //nolint:gosec // only the directory of the socket protects it
	socket := filepath.Join(open, "own", "socket")
	other := p.Command("web", "--socket", socket)
	out, err := os.Create(p.Path("tunnel.txt"))
	p.Check(err)
	other.Stdout = out
	p.Check(other.Start())
	p.Check(out.Close())
	tunnel := p.Running(other)
	p.T.Cleanup(func() { tunnel.Signal(os.Interrupt); tunnel.Wait() })
	p.Await("tunnel.txt", `#[0-9a-f]{64}\n`)
	host, port, _ := strings.Cut(s.addr, ":")
	ask := func(path, headers string) string {
		return fmt.Sprintf(`exec 3<>/dev/tcp/%s/%s; printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n' >&3; cat <&3`, host, port, path, s.addr, headers)
	}
	id := p.Saved().Meta.ID
	rows := []struct{ what, script, says string }{
		{"the control", ask("/sessions/"+id, `Aura-Token: `+s.token+`\r\n`), id},
		{"a page", ask("/sessions/"+id, ""), "401 Unauthorized"},
		{"a page without scripts", ask("/plain/sessions", ""), "401 Unauthorized"},
		{"a page as a browser opens it", ask("/sessions", `Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: none\r\n`), "<body data-shell>"},
		{"the socket", "cat " + socket + " || exit 0", "Permission denied"},
		{"the command line", fmt.Sprintf("tr '\\0' ' ' </proc/%d/cmdline", cmd.Process.Pid), "web"},
		{"the variables", fmt.Sprintf("cat /proc/%d/environ || exit 0", cmd.Process.Pid), "Permission denied"},
	}
	for _, row := range rows {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", row.script)
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		got, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(got), row.says) {
			t.Errorf("%s: %v: %s", row.what, err, got)
		}
		if row.what != "the control" && (strings.Contains(string(got), s.token) || strings.Contains(string(got), id)) {
			t.Errorf("%s tells another user: %s", row.what, got)
		}
	}
}
