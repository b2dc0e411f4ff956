package process_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/process"
)

// escapee holds the fifo "life" in its own session after its parent is gone.
const escapee = `setsid sh -c 'setsid sh -c "echo \$\$ >pid; echo up; exec sleep 1000" >life & exit' & `

// TestEscaped checks a process that leaves its group, with different ways of ending.
func TestEscaped(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "setsid")
	tests := map[string]struct {
		change    func(*process.Spec)
		kill      bool
		isolation process.Isolation
		survives  bool
	}{
		"control": {survives: true},
		"found by the mark after an exit": {
			change: func(s *process.Spec) { s.Mark = "AURA_TEST" },
		},
		"found by the mark after a kill": {
			change: func(s *process.Spec) { s.Mark = "AURA_TEST" }, kill: true,
		},
		"in a process namespace": {
			change:    func(s *process.Spec) { s.Isolation = process.OwnProcesses },
			isolation: process.OwnProcesses,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := line(escapee + "read x <go")
			s.Dir = t.TempDir()
			if tt.change != nil {
				tt.change(&s)
			}
			life, gate := fifo(t, s.Dir), filepath.Join(s.Dir, "go")
			if err := unix.Mkfifo(gate, 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := process.Start(s)
			if err != nil {
				t.Fatal(err)
			}
			if p.Isolation() != tt.isolation {
				p.Kill()
				testneed.Missing(t, testneed.Namespaces, "the process has less isolation than was asked for")
			}
			r := alive(t, life)
			if tt.kill {
				p.Kill()
			} else if err := os.WriteFile(gate, []byte("x\n"), 0o600); err != nil {
				t.Error(err)
			}
			_ = p.Wait()
			if tt.survives {
				survivor(t, s.Dir)
			}
			gone(t, r)
		})
	}
}
