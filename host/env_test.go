package host

import (
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

func TestGrant(t *testing.T) {
	t.Parallel()
	environ := []string{"A=1", "B=2", "SECRET=x", "B=3", "EMPTY=", "odd", "=C:=x"}
	task := map[string]string{"A": "task", "NEW": "n"}
	rows := []struct {
		name  string
		names []string
		task  map[string]string
		want  []string
	}{
		{"nothing by default", nil, nil, []string{}},
		{"nothing of the task either", nil, task, []string{}},
		{"listed names", []string{"A", "EMPTY", "MISSING"}, nil, []string{"A=1", "EMPTY="}},
		{"the last of a name wins", []string{"B"}, nil, []string{"B=3"}},
		{"a task's value wins", []string{"A"}, task, []string{"A=task"}},
		{"a task's own variable", []string{"NEW"}, task, []string{"NEW=n"}},
		{"everything", []string{"*"}, nil, []string{"A=1", "B=3", "EMPTY=", "SECRET=x"}},
		{"names are whole", []string{"SEC", "SECRET*"}, nil, []string{}},
	}
	for _, row := range rows {
		if got := grant(environ, row.task, row.names); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	listed := Spec{Plugin: manifest.Plugin{Manifest: manifest.Manifest{Env: []string{"A"}}}}
	unsafe := listed
	unsafe.Unsafe = true
	environ := []string{"A=1", "PATH=/bin", "SECRET=x"}
	for _, row := range []struct {
		spec Spec
		want []string
	}{{listed, []string{"A=1"}}, {unsafe, []string{"A=1", "PATH=/bin"}}, {Spec{}, []string{}}, {Spec{Unsafe: true}, []string{"PATH=/bin"}}} {
		if got := grant(environ, nil, row.spec.variables()); !reflect.DeepEqual(got, row.want) {
			t.Errorf("unsafe %t: got %q, want %q", row.spec.Unsafe, got, row.want)
		}
	}
}

func TestGrantTask(t *testing.T) {
	t.Parallel()
	task := map[string]string{"A": "1", "B": "2"}
	rows := []struct {
		names []string
		want  map[string]string
	}{
		{nil, nil},
		{[]string{"C"}, nil},
		{[]string{"A"}, map[string]string{"A": "1"}},
		{[]string{"*"}, task},
	}
	for _, row := range rows {
		if got := grantTask(task, row.names); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%q: got %v, want %v", row.names, got, row.want)
		}
	}
}
