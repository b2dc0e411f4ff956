package setup

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

func TestNarrowPolicy(t *testing.T) {
	t.Parallel()
	at := sandbox.Place{Workdir: "/w", Home: "/h"}
	before := sandbox.Policy{ReadOnly: []string{"/usr"}, ReadWrite: []string{"/w", "/tmp"}, Protected: []string{"/w/.git"}}
	tests := []struct {
		name          string
		r             Restriction
		ro, rw, never []string
	}{
		{"nothing", Restriction{}, []string{"/usr"}, []string{"/w", "/tmp"}, []string{"/w/.git"}},
		{"read only", Restriction{ReadOnly: true}, []string{"/usr", "/w", "/tmp"}, []string{}, []string{"/w/.git"}},
		{"some writable", Restriction{ReadWritePaths: []string{"out", "~/x"}}, []string{"/usr", "/w", "/tmp"}, []string{"/w/out", "/h/x"}, []string{"/w/.git"}},
		{"both", Restriction{ReadOnly: true, ReadWritePaths: []string{"/o/"}}, []string{"/usr", "/w", "/tmp"}, []string{"/o"}, []string{"/w/.git"}},
		{"some not", Restriction{ReadOnlyPaths: []string{"src"}}, []string{"/usr", "/w/src"}, []string{"/w", "/tmp"}, []string{"/w/.git", "/w/src"}},
		{"no home of that name", Restriction{ReadWritePaths: []string{"~x"}}, []string{"/usr", "/w", "/tmp"}, []string{"/w/~x"}, []string{"/w/.git"}},
	}
	for _, tt := range tests {
		got := tt.r.narrow(before, at)
		if !reflect.DeepEqual(got.ReadOnly, tt.ro) || !reflect.DeepEqual(got.ReadWrite, tt.rw) || !reflect.DeepEqual(got.Protected, tt.never) {
			t.Errorf("%s: got %+v", tt.name, got)
		}
	}
	if len(before.ReadOnly) != 1 || len(before.Protected) != 1 {
		t.Errorf("the policy itself has changed: %+v", before)
	}
}
