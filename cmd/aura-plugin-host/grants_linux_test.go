package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestGrantedFiles starts a confined child that gets a granted directory as a descriptor. The child grants the directory only if
// the path leads to the file of the descriptor. The plugin finds no descriptor of the directory.
func TestGrantedFiles(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	move := func(dir, other string) error { return os.Rename(dir, filepath.Join(other, "moved")) }
	for name, tt := range map[string]struct {
		// change changes what the path leads to after it was opened. other is another directory.
		change func(dir, other string) error
		// swap passes the descriptor of the other directory.
		swap    bool
		granted bool
	}{
		"the same":             {granted: true},
		"another in its place": {change: func(dir, other string) error { return errors.Join(os.Remove(dir), os.Rename(other, dir)) }},
		"nothing in its place": {change: func(dir, _ string) error { return os.Remove(dir) }},
		"moved away":           {change: move},
		"a link to it": {change: func(dir, other string) error {
			return errors.Join(move(dir, other), os.Symlink(filepath.Join(other, "moved"), dir))
		}},
		"the descriptor of another": {swap: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lay(t, os.Geteuid())
			dir, other := filepath.Join(s.base, "granted"), filepath.Join(s.base, "other")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.Mkdir(other, 0o700)); err != nil {
				t.Fatal(err)
			}
			var g sandbox.Grants
			defer g.Close()
			policy := s.policy()
			policy.ReadWrite = append(policy.ReadWrite, dir)
			policy = g.Open(policy)
			if tt.swap {
				fd, err := unix.Open(other, unix.O_PATH|unix.O_CLOEXEC, 0)
				if err != nil {
					t.Fatal(err)
				}
				policy.Pinned = []string{dir}
				policy.Receive(fd)
				defer func() { _ = policy.Files()[0].Close() }()
			}
			if tt.change != nil {
				if err := tt.change(dir, other); err != nil {
					t.Fatal(err)
				}
			}
			archive := s.fill(plugin3("\"errors\"\n\"os\"\n\"strings\"", `
				err := os.WriteFile("BASE/granted/x", nil, 0o600)
				entries, _ := os.ReadDir("/proc/self/fd")
				for _, e := range entries {
					if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.HasPrefix(to, "BASE/granted") {
						return errors.New("found a descriptor of " + to)
					}
				}
				return err`))
			p := s.start(t, archive, false, &policy)
			for way, got := range p.everyWay(t) {
				if (got == success) != tt.granted || strings.Contains(got, "found a descriptor") {
					t.Errorf("%s: %s", way, got)
				}
			}
			exports, err := p.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(exports.Sandbox.Uncovered, "\n"); strings.Contains(said, dir+" is not granted: ") == tt.granted {
				t.Errorf("said %q", said)
			}
		})
	}
}
