package inspect

import (
	"testing"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
)

// TestGoInfo checks that a plugin that must be native and may not be is not said to run.
func TestGoInfo(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		asked     manifest.GoRuntime
		permitted bool
		want      string
	}{
		{manifest.GoRuntimeNative, true, host.RuntimeNative},
		{manifest.GoRuntimeNative, false, runsNothing},
		{manifest.GoRuntimeAuto, false, host.RuntimeInterpreted},
	} {
		var c config.Config
		c.Features.Plugins.Native = row.permitted
		var spec host.Spec
		spec.Manifest.Runtime = row.asked
		if got := goInfo(&c, spec); got.Runs != row.want {
			t.Errorf("%s, permitted %v: got %s", row.asked, row.permitted, got.Runs)
		}
	}
}
