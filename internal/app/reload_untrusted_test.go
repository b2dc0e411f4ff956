package app

import (
	"errors"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/app/gate"
)

// TestReloadUntrusted checks that a reload applies nothing that the user has not agreed to, and leaves everything unchanged.
func TestReloadUntrusted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.o.Gate, p.o.Config.UserHome = &gate.Gate{}, t.TempDir()
	agree := func() {
		project, err := p.o.Gate.Requests(p.o.Config)
		if err == nil {
			_, err = p.o.Gate.Agree(p.o.Config, project, true)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	agree()
	a, err := Open(t.Context(), p.o, &outcome{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(""); err != nil {
			t.Error(err)
		}
	})
	p.write(".aura/config/hooks/h.yaml", "h: {event: pre, command: touch made}\n")
	_, err = a.reload(t.Context())
	if u, ok := errors.AsType[*gate.UntrustedError](err); !ok || !slices.Equal(u.Change.Added, []string{".aura/config/hooks/h.yaml"}) {
		t.Errorf("got %v", err)
	}
	if len(a.setup.Config.Hooks) > 0 {
		t.Errorf("hooks are %v", a.setup.Config.Hooks)
	}
	agree()
	if _, err := a.reload(t.Context()); err != nil || len(a.setup.Config.Hooks) != 1 {
		t.Errorf("with consent: %v, %v", a.setup.Config.Hooks, err)
	}
}
