package host

import (
	"errors"
	"io"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestWithdrawn has a row for each right that a specification holds. The right counts as withdrawn in one direction only.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	env := func(names ...string) Spec {
		return Spec{Plugin: manifest.Plugin{Manifest: manifest.Manifest{Env: names}}}
	}
	memory := func(bytes int64) Spec {
		return Spec{Plugin: manifest.Plugin{Manifest: manifest.Manifest{Limits: manifest.Limits{Memory: bytes}}}}
	}
	hosts := func(names ...string) Spec {
		rules := network.Rules{}
		for _, name := range names {
			p, err := network.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			rules.Allow = append(rules.Allow, p)
		}
		return Spec{Sandbox: &sandbox.Policy{Hosts: &rules}}
	}
	broken := env()
	broken.Err = errors.New("unreadable")
	partly := env("A")
	partly.Err, partly.Manifest.Decoded = errors.New("unknown key"), true
	for name, row := range map[string]struct {
		more, less Spec
		want       string
	}{
		"unsafe":             {Spec{Unsafe: true}, Spec{}, "unsafe mode"},
		"variable":           {env("A", "B"), env("A"), "the environment variables B"},
		"all variables":      {env("*"), env("A"), "the environment variables *"},
		"memory":             {memory(2), memory(1), "its memory limit"},
		"hosts":              {hosts("a.example", "b.example"), hosts("a.example"), "the network"},
		"network":            {Spec{Sandbox: &sandbox.Policy{Network: true}}, Spec{Sandbox: &sandbox.Policy{}}, "the network"},
		"files":              {Spec{Sandbox: &sandbox.Policy{ReadWrite: []string{"/a"}}}, Spec{Sandbox: &sandbox.Policy{}}, "what the sandbox denies now"},
		"sandbox":            {Spec{}, Spec{Sandbox: &sandbox.Policy{}}, "running without a sandbox"},
		"files outside":      {Spec{Unconfined: true}, Spec{}, "files outside the sandbox"},
		"program":            {Spec{Native: &Native{}}, Spec{}, "running as a compiled program"},
		"program, required":  {Spec{Native: &Native{}}, Spec{Plugin: manifest.Plugin{Err: &manifest.RefusedError{Err: ErrNotPermitted}}}, "running as a compiled program"},
		"broken source":      {Spec{Native: &Native{}}, Spec{NativeError: io.EOF}, ""},
		"broken manifest":    {Spec{Native: &Native{}}, Spec{Plugin: manifest.Plugin{Err: io.EOF}}, ""},
		"two":                {Spec{Unsafe: true, Unconfined: true}, Spec{}, "unsafe mode; files outside the sandbox"},
		"unreadable":         {env("A"), broken, ""},
		"another fault":      {env("A", "B"), partly, "the environment variables B"},
		"a fault, the same":  {env("A"), partly, ""},
		"the same":           {env("A"), env("A"), ""},
		"a variable of many": {env("*"), env("*", "A"), ""},
	} {
		if got := withdrawn(row.more, row.less); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
		if got := withdrawn(row.less, row.more); got != "" {
			t.Errorf("%s: a right that was given counts as withdrawn: %q", name, got)
		}
	}
}
