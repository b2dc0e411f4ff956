package policy_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
)

func TestStore(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 30, 0, 5, time.UTC)
	s := policy.Store{Path: filepath.Join(t.TempDir(), "project", "approvals.json")}
	one := policy.Approval{Tool: "Bash", Source: "built-in", Rule: "Bash:*", Dir: "/work", Pattern: "Bash:ls *"}
	two := policy.Approval{Tool: "Send", Source: "plugin mail (/p)", Dir: "/work", Pattern: "Send"}
	if got, err := s.All(); err != nil || got != nil {
		t.Errorf("at first: %v, %v", got, err)
	}
	for _, a := range []policy.Approval{one, two, one} {
		if err := s.Add(a, now); err != nil {
			t.Fatal(err)
		}
	}
	want := []policy.Kept{{Approval: one, Given: now.Truncate(time.Second)}, {Approval: two, Given: now.Truncate(time.Second)}}
	if got, err := s.All(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if info, err := os.Stat(s.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	for _, row := range []bool{true, false} {
		if had, err := s.Remove(one); had != row || err != nil {
			t.Errorf("removing: %v, %v", had, err)
		}
	}
	if got, err := s.All(); err != nil || len(got) != 1 || got[0].Approval != two {
		t.Errorf("at last: %v, %v", got, err)
	}
	var nowhere policy.Store
	if got, err := nowhere.All(); err != nil || got != nil {
		t.Errorf("without a place: %v, %v", got, err)
	}
	if err := nowhere.Add(one, now); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("without a place: %v", err)
	}
}

// TestStoreTogether checks that no approval is lost if several sessions give some at once.
func TestStoreTogether(t *testing.T) {
	t.Parallel()
	s := policy.Store{Path: filepath.Join(t.TempDir(), "approvals.json")}
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			if err := s.Add(policy.Approval{Tool: name, Source: "built-in", Dir: "/work", Pattern: name}, time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := s.All(); err != nil || len(got) != 4 {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestDamagedStore checks that a file that aura did not write gives no approvals and is not overwritten.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":         "Bash\n",
		"another version": `{"version": 2, "approvals": []}`,
		"unknown keys":    `{"version": 1, "approvals": [], "all": true}`,
		"more after it":   `{"version": 1, "approvals": []} {}`,
		"no tool":         `{"version": 1, "approvals": [{"tool": "", "source": "built-in", "dir": "/work", "pattern": "", "given": "2026-03-01T09:30:00Z"}]}`,
		"no source":       `{"version": 1, "approvals": [{"tool": "Bash", "source": "", "dir": "/work", "pattern": "Bash", "given": "2026-03-01T09:30:00Z"}]}`,
		"no directory":    `{"version": 1, "approvals": [{"tool": "Bash", "source": "built-in", "pattern": "Bash", "given": "2026-03-01T09:30:00Z"}]}`,
		"another tool":    `{"version": 1, "approvals": [{"tool": "Bash", "source": "built-in", "dir": "/work", "pattern": "*", "given": "2026-03-01T09:30:00Z"}]}`,
		"no subject":      `{"version": 1, "approvals": [{"tool": "Bash", "source": "built-in", "dir": "/work", "pattern": "Bash: ", "given": "2026-03-01T09:30:00Z"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "approvals.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := policy.Store{Path: path}
		if got, err := s.All(); err == nil || got != nil || !strings.Contains(err.Error(), "start over") {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
		if err := s.Add(policy.Approval{Tool: "Bash", Source: "built-in", Dir: "/work", Pattern: "Bash"}, time.Now()); err == nil {
			t.Errorf("%s: the file was changed", name)
		}
		if left, err := os.ReadFile(path); err != nil || string(left) != text {
			t.Errorf("%s: the file is now %q, %v", name, left, err)
		}
	}
}

func FuzzStore(f *testing.F) {
	f.Add(`{"version": 1, "approvals": [{"tool": "Bash", "source": "built-in", "dir": "/work", "pattern": "Bash", "given": "2026-03-01T09:30:00Z"}]}`)
	f.Add(`{"version": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "approvals.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := policy.Store{Path: path}.All()
		for _, k := range got {
			if err != nil || k.Tool == "" || k.Source == "" || !strings.HasPrefix(k.Pattern, k.Tool) {
				t.Errorf("%q: %+v, %v", text, k, err)
			}
		}
	})
}
