package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/testneed"
)

// TestEscapedDescendants starts a server with a descendant that leaves the server's process group before its parent ends. The
// descendant must end with the server, however the server ends.
func TestEscapedDescendants(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	for name, end := range map[string]func(p *serverProcess){
		"stopped": func(p *serverProcess) { p.stop(nil, 0) },
		"killed":  func(p *serverProcess) { p.Kill() },
		"dies":    func(p *serverProcess) { _ = p.stdin.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			line := `setsid sh -c 'setsid sh -c "echo \$\$ >pid.new; mv pid.new pid; exec sleep 1000" & exit' & cat`
			p, err := startProcess(Server{Command: "sh", Args: []string{"-c", line}}, Options{Workdir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}})
			if err != nil {
				t.Fatal(err)
			}
			defer p.stop(nil, 0)
			var pid string
			eventually(t, "the descendant runs", func() bool {
				text, err := os.ReadFile(filepath.Join(dir, "pid"))
				pid = strings.TrimSpace(string(text))
				return err == nil
			})
			if !running(pid) {
				t.Fatalf("process %s is not running", pid)
			}
			end(p)
			_ = p.Wait()
			eventually(t, "the descendant is gone", func() bool { return !running(pid) })
		})
	}
}
