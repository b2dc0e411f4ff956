package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestEscapedDescendants starts a server with a descendant that leaves the server's process group before its parent ends, with
// the server's environment or with an empty one. The descendant must end with the server, however the server ends. As a
// control, one with an empty environment survives if no reaper is used.
func TestEscapedDescendants(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	stopped := func(p *serverProcess) { p.stop(nil, 0) }
	killed := func(p *serverProcess) { p.Kill() }
	dies := func(p *serverProcess) { _ = p.stdin.Close() }
	asked := func(p *serverProcess) { p.Terminate() }
	signal := func(s syscall.Signal) func(p *serverProcess) {
		return func(p *serverProcess) { _ = syscall.Kill(p.Pid(), s) }
	}
	for name, row := range map[string]struct {
		end func(p *serverProcess)
		// start is put before the program of the descendant.
		start    string
		bare     bool
		survives bool
	}{
		"stopped":                  {end: stopped},
		"killed":                   {end: killed},
		"dies":                     {end: dies},
		"asked":                    {end: asked},
		"reaper killed":            {end: signal(syscall.SIGKILL)},
		"reaper hung up":           {end: signal(syscall.SIGHUP)},
		"stopped, empty":           {end: stopped, start: "env -i"},
		"killed, empty":            {end: killed, start: "env -i"},
		"dies, empty":              {end: dies, start: "env -i"},
		"asked, empty":             {end: asked, start: "env -i"},
		"dies, no reaper":          {end: dies, bare: true},
		"killed, no reaper":        {end: killed, bare: true},
		"dies, empty, no reaper":   {end: dies, start: "env -i", bare: true, survives: true},
		"killed, empty, no reaper": {end: killed, start: "env -i", bare: true, survives: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			line := `setsid sh -c 'echo $$ >middle; ` + row.start + ` setsid sh -c "echo \$\$ >pid.new; mv pid.new pid; exec sleep 1000" & exit' & cat`
			o := Options{Workdir: dir, Environ: []string{"PATH=" + os.Getenv("PATH")}, Executable: reaper(t)}
			if row.bare {
				o.Executable = ""
			}
			p, err := startProcess(t.Context(), Server{Command: "sh", Args: []string{"-c", line}}, o)
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
			orphaned(t, dir, pid)
			row.end(p)
			_ = p.Wait()
			if row.survives {
				if !running(pid) {
					t.Error("the descendant is gone without a reaper: the other rows show nothing")
				}
				kill(t, pid)
			}
			eventually(t, "the descendant is gone", func() bool { return !running(pid) })
		})
	}
}

// orphaned waits until the descendant has lost its parent. Before that, killing the tree of the server would reach it.
func orphaned(t *testing.T, dir, pid string) {
	t.Helper()
	middle, err := os.ReadFile(filepath.Join(dir, "middle"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the descendant is an orphan", func() bool {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		return err == nil && !strings.Contains(string(status), "\nPPid:\t"+strings.TrimSpace(string(middle))+"\n")
	})
}
