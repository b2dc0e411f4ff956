package sandbox_test

import (
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestReading checks what programs that may only read can write.
func TestReading(t *testing.T) {
	t.Parallel()
	elsewhere := place
	elsewhere.Private, elsewhere.Output, elsewhere.DataDir, elsewhere.Store = "/p/private", "/p/output", "", "/p/layers"
	inTemp := elsewhere
	inTemp.Workdir, inTemp.Temp = "/tmp/p/work", "/tmp"
	shared := elsewhere
	shared.Store = ""
	extra := sandbox.Config{Extra: sandbox.Paths{ReadWrite: []string{"/p/notes"}}, UnixSockets: true}
	for name, row := range map[string]struct {
		at                  sandbox.Place
		writable, forbidden []string
	}{
		"a project":            {elsewhere, []string{"/tmp/x", "/p/output/x", "/p/gocache/x"}, []string{"/p/work/x", "/p/notes/x", "/p/home/x", "/p/layers/x"}},
		"a project among them": {inTemp, []string{"/p/private/x", "/p/output/x", "/p/gocache/x"}, []string{"/tmp/p/work/x", "/tmp/x"}},
		"shared caches":        {shared, []string{"/tmp/x"}, []string{"/p/gocache/x", "/p/home/.cache/x", "/p/work/x"}},
	} {
		p := sandbox.Compose(row.at, sandbox.KindShell, extra).Reading(row.at)
		for _, path := range row.writable {
			if err := sandbox.Check(p, row.at.Workdir, sandbox.Access{Write: []string{path}}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, path := range row.forbidden {
			if sandbox.Check(p, row.at.Workdir, sandbox.Access{Write: []string{path}}) == nil {
				t.Errorf("%s: %s can be written", name, path)
			}
		}
		for _, path := range []string{row.at.Workdir + "/x", "/p/notes/x"} {
			if err := sandbox.Check(p, row.at.Workdir, sandbox.Access{Read: []string{path}}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p.Network || p.Hosts != nil || p.UnixSockets || !p.Exec {
			t.Errorf("%s: network %v, hosts %v, sockets %v, programs %v", name, p.Network, p.Hosts, p.UnixSockets, p.Exec)
		}
	}
}
