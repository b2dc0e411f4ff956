package pluginstate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/host/pluginstate"
	"github.com/idelchi/aura/internal/base/lock"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// do makes a request and returns the value or the keys of the answer, or its error.
func do(t *testing.T, s *pluginstate.Store, plugin string, op shared.StateOp, scope sdk.Scope, key, value string) string {
	t.Helper()
	a, err := s.Do(t.Context(), plugin, shared.StateRequest{Op: op, Scope: scope, Key: key, Value: value})
	switch {
	case err != nil:
		return "error: " + err.Error()
	case op == shared.StateGet && !a.Found:
		return "none"
	case op == shared.StateList:
		return strings.Join(a.Keys, " ")
	default:
		return a.Value
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	for where, dirs := range map[string][2]string{"on disk": {t.TempDir(), t.TempDir()}, "in memory": {"", ""}} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			s := pluginstate.New(dirs[0], func() string { return dirs[1] })
			big, deep := strings.Repeat("x", sdk.MaxStateValue), strings.Repeat("k", sdk.MaxStateKey)
			for i, row := range []struct {
				plugin string
				op     shared.StateOp
				scope  sdk.Scope
				key    string
				value  string
				want   string
			}{
				{"a", shared.StateGet, sdk.ScopeProject, "k", "", "none"},
				{"a", shared.StateList, sdk.ScopeProject, "", "", ""},
				{"a", shared.StateDelete, sdk.ScopeProject, "k", "", ""},
				{"a", shared.StateSet, sdk.ScopeProject, "k", "1", ""},
				{"a", shared.StateGet, sdk.ScopeProject, "k", "", "1"},
				{"a", shared.StateGet, sdk.ScopeSession, "k", "", "none"},
				{"b", shared.StateGet, sdk.ScopeProject, "k", "", "none"},
				{"a", shared.StateSet, sdk.ScopeProject, "k", "", ""},
				{"a", shared.StateGet, sdk.ScopeProject, "k", "", ""},
				{"a", shared.StateSet, sdk.ScopeProject, "j/2", "<&>\n\u2028", ""},
				{"a", shared.StateGet, sdk.ScopeProject, "j/2", "", "<&>\n\u2028"},
				{"a", shared.StateSet, sdk.ScopeProject, "j/1", big, ""},
				{"a", shared.StateSet, sdk.ScopeProject, deep, "", ""},
				{"a", shared.StateList, sdk.ScopeProject, "j/", "", "j/1 j/2"},
				{"a", shared.StateDelete, sdk.ScopeProject, "j/1", "", ""},
				{"a", shared.StateList, sdk.ScopeProject, "", "", "j/2 k " + deep},
				{"a", shared.StateSet, sdk.ScopeProject, "", "v", `error: changing state of plugin "a" (scope project): the key is empty`},
				{"a", shared.StateSet, sdk.ScopeProject, deep + "k", "", `error: changing state of plugin "a" (scope project): a key of 257 bytes is longer than the limit of 256`},
				{"a", shared.StateSet, sdk.ScopeProject, "k", big + "x", `error: changing state of plugin "a" (scope project): the value of "k" has 65537 bytes, more than the limit of 64 KiB`},
				{"a", shared.StateSet, sdk.ScopeProject, "k", "\xff", `error: changing state of plugin "a" (scope project): keys and values must be valid UTF-8; encode other bytes, for example with encoding/base64`},
				{"a", shared.StateGet, "forever", "k", "", `error: reading state of plugin "a" (scope forever): there is no such scope; use session or project`},
				{"a", "swap", sdk.ScopeProject, "k", "", `error: asking for state of plugin "a": "swap" is no operation`},
				{"a", shared.StateGet, sdk.ScopeProject, "k", "", ""},
			} {
				if got := do(t, s, row.plugin, row.op, row.scope, row.key, row.value); got != row.want {
					t.Errorf("row %d: got  %.200q\nwant %.200q", i, got, row.want)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := pluginstate.New("", func() string { return "" })
	for i := range sdk.MaxStateKeys {
		if got := do(t, s, "many", shared.StateSet, sdk.ScopeProject, fmt.Sprint(i), ""); got != "" {
			t.Fatal(got)
		}
	}
	if got := do(t, s, "many", shared.StateSet, sdk.ScopeProject, "further", ""); !strings.HasSuffix(got, "more than 1000 keys") {
		t.Errorf("got %q", got)
	}
	value := strings.Repeat("x", sdk.MaxStateValue)
	for i := 0; ; i++ {
		got := do(t, s, "large", shared.StateSet, sdk.ScopeProject, fmt.Sprint(i), value)
		if got == "" && i < sdk.MaxStateBytes/sdk.MaxStateValue {
			continue
		}
		if !strings.HasSuffix(got, "more than the limit of 1 MiB") || i != sdk.MaxStateBytes/sdk.MaxStateValue-1 {
			t.Errorf("value %d: got %q", i, got)
		}
		return
	}
}

// TestSessions checks that a value belongs to the session that is open, and that a fork gets a copy.
func TestSessions(t *testing.T) {
	t.Parallel()
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	now := one
	s := pluginstate.New("", func() string { return now })
	do(t, s, "a", shared.StateSet, sdk.ScopeSession, "k", "1")
	if err := pluginstate.Copy(one, two); err != nil {
		t.Fatal(err)
	}
	now = two
	if got := do(t, s, "a", shared.StateGet, sdk.ScopeSession, "k", ""); got != "1" {
		t.Errorf("the copy has %q", got)
	}
	do(t, s, "a", shared.StateSet, sdk.ScopeSession, "k", "2")
	now = one
	if got := do(t, s, "a", shared.StateGet, sdk.ScopeSession, "k", ""); got != "1" {
		t.Errorf("the first session has %q", got)
	}
	if err := pluginstate.Copy(filepath.Join(one, "none"), filepath.Join(two, "none")); err != nil {
		t.Errorf("copying nothing: %v", err)
	}
}

// TestTwoSessions checks that sessions that change one file at the same time lose nothing of each other.
func TestTwoSessions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	for i := range 4 {
		s := pluginstate.New(dir, func() string { return "" })
		group.Go(func() {
			for j := range 10 {
				if got := do(t, s, "a", shared.StateSet, sdk.ScopeProject, fmt.Sprintf("%d/%d", i, j), "x"); got != "" {
					t.Error(got)
				}
			}
		})
	}
	group.Wait()
	a, err := pluginstate.New(dir, func() string { return "" }).Do(t.Context(), "a", shared.StateRequest{Op: shared.StateList, Scope: sdk.ScopeProject})
	if err != nil || len(a.Keys) != 40 {
		t.Errorf("%d keys are left, %v", len(a.Keys), err)
	}
}

// TestPlanted checks what happens if something else is in the place of a file: it is neither followed nor overwritten.
func TestPlanted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte(`{"k":"secret"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "linked.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "torn.json"), []byte(`{"k":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := pluginstate.New(dir, func() string { return "" })
	for _, plugin := range []string{"linked", "torn"} {
		for _, op := range []shared.StateOp{shared.StateGet, shared.StateSet} {
			if got := do(t, s, plugin, op, sdk.ScopeProject, "k", "v"); !strings.HasPrefix(got, "error: ") {
				t.Errorf("%s %s: got %q", op, plugin, got)
			}
		}
	}
	if text, err := os.ReadFile(other); err != nil || !reflect.DeepEqual(text, []byte(`{"k":"secret"}`)) {
		t.Errorf("the file behind the link has %q, %v", text, err)
	}
}

// TestApart checks that a plugin whose file another aura has locked does not keep other plugins waiting.
func TestApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := pluginstate.New(dir, func() string { return "" })
	held, err := lock.Wait(t.Context(), filepath.Join(dir, "a.json.lock"), func() {})
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan string)
	go func() { waited <- do(t, s, "a", shared.StateSet, sdk.ScopeProject, "k", "a") }()
	for i := range 50 {
		if got := do(t, s, "b", shared.StateSet, sdk.ScopeProject, "k", fmt.Sprint(i)); got != "" {
			t.Fatal(got)
		}
	}
	select {
	case got := <-waited:
		t.Fatalf("the other plugin waited as long as this one: %s", got)
	default:
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if got := <-waited; got != "" {
		t.Error(got)
	}
}
