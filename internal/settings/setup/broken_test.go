package setup

import (
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

func TestStartupFaults(t *testing.T) {
	t.Parallel()
	broken := errors.New("plugin.yaml:2: unknown key")
	for name, tt := range map[string]struct {
		on   manifest.OnFailure
		err  error
		want string
	}{
		"closed":             {manifest.FailClosed, broken, `starting guard "g", which has on_failure: closed: plugin.yaml:2: unknown key; correct the file`},
		"open":               {manifest.FailOpen, broken, ""},
		"closed and sound":   {manifest.FailClosed, nil, ""},
		"a condition":        {manifest.FailOpen, &manifest.ConditionError{File: "plugin.yaml", Line: 3, Err: errors.New("unknown")}, `plugin.yaml:3: key "condition": unknown`},
		"closed and refused": {manifest.FailClosed, &manifest.RefusedError{Err: errors.New("changed")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := host.Spec{Plugin: manifest.Plugin{Name: "g", Err: tt.err, Manifest: manifest.Manifest{OnFailure: tt.on}}}
			err := startupFaults([]host.Spec{s})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
