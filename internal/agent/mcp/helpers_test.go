package mcp

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
)

// hurried returns a pace that is long enough for everything that works, and keeps failures short.
func hurried() pace {
	return pace{
		grace: 300 * time.Millisecond, stuck: 300 * time.Millisecond, listen: 5 * time.Second, settle: time.Millisecond,
		backoff: func(int) time.Duration { return time.Millisecond },
	}
}

// notices collects the notices of a Set.
type notices struct {
	mu    sync.Mutex
	texts []string
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.texts = append(n.texts, text)
}

func (n *notices) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.texts, "\n")
}

// stdio returns a Server that runs this test binary in a mode.
func stdio(t *testing.T, name, kind string) Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Server{Name: name, Command: self, Env: map[string]string{mode: kind}, Source: "mcp.yaml"}
}

// opened returns a Set that is closed at the end of the test.
func opened(t *testing.T, o Options, servers ...Server) *Set {
	t.Helper()
	if o.Workdir == "" {
		o.Workdir = t.TempDir()
	}
	o.Executable = reaper(t)
	set := open(t.Context(), o, hurried(), servers)
	t.Cleanup(set.Close)
	return set
}

// reaper returns this program, which runs process.Reap if TestMain finds its argument.
func reaper(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

func lookup(t *testing.T, set *Set, name string) tool.Tool {
	t.Helper()
	for _, each := range set.Tools() {
		if each.Definition().Name == name {
			return each
		}
	}
	t.Fatalf("no tool %s among %v", name, toolNames(set.Tools()))
	return nil
}

func toolNames(tools []tool.Tool) []string {
	var out []string
	for _, each := range tools {
		out = append(out, each.Definition().Name)
	}
	return out
}

func run(ctx context.Context, t *testing.T, set *Set, name string, args map[string]any) (string, error) {
	t.Helper()
	return lookup(t, set, name).Execute(ctx, tool.Call{Args: args})
}

// must runs a tool and fails the test if the tool fails.
func must(t *testing.T, set *Set, name string, args map[string]any) string {
	t.Helper()
	out, err := run(t.Context(), t, set, name, args)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// eventually waits for a condition that another process or goroutine causes.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func status(t *testing.T, set *Set, name string) Status {
	t.Helper()
	all := set.Servers()
	i := slices.IndexFunc(all, func(s Status) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no server %s in %v", name, all)
	}
	return all[i]
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q does not have %q", what, text, part)
		}
	}
}
