package host

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestLeave checks which builds a supervisor leaves behind when aura ends before its first child is ready.
func TestLeave(t *testing.T) {
	t.Parallel()
	never, always := func() bool { return false }, func() bool { return true }
	rows := map[string]struct {
		native          *Native
		state           State
		compile, begins bool
	}{
		"a plugin that was starting":    {&Native{Ready: never, Building: never}, StateStarting, true, true},
		"one without a program":         {nil, StateStarting, true, false},
		"one that did not start":        {&Native{Ready: never, Building: never}, StateStopped, true, false},
		"a finished program":            {&Native{Ready: always, Building: never}, StateStarting, true, false},
		"one that is being built":       {&Native{Ready: never, Building: always}, StateStarting, true, false},
		"one that is never interpreted": {&Native{Only: true, Ready: never, Building: never}, StateStarting, true, false},
		"a look at a plugin":            {&Native{Ready: never, Building: never}, StateStarting, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := false
			if row.native != nil {
				row.native.Failed = func() error { return nil }
				row.native.Ahead = func(ctx context.Context) error {
					begun = true
					return ctx.Err()
				}
			}
			log, err := openLog(filepath.Join(t.TempDir(), "log"))
			if err != nil {
				t.Fatal(err)
			}
			s := newSupervisor(&Options{Fixed: Fixed{Compile: row.compile}}, Spec{Plugin: manifest.Plugin{Name: "p"}, Native: row.native}, log)
			s.life.mu.Lock()
			s.life.set(row.state, nil, nil)
			s.life.mu.Unlock()
			s.close()
			if begun != row.begins {
				t.Errorf("a build begins: %t", begun)
			}
		})
	}
}
