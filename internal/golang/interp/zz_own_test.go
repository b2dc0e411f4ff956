package interp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestOwn(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("OWN"))
	var all []program
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range a.Files {
			all = append(all, program{strings.TrimSuffix(filepath.Base(f), ".txtar") + "/" + strings.TrimSuffix(x.Name, ".go"), string(x.Data)})
		}
	}
	want := map[string]string{}
	for _, f := range txtar.Parse([]byte(compiled(t, all))).Files {
		want[f.Name] = string(f.Data)
	}
	n := 0
	for _, p := range all {
		o := runProgram(t, p.source("program"))
		class, reason := classify(o, want[p.name])
		if class == right && reason == "" {
			n++
			continue
		}
		t.Errorf("%s: %s: %s%s", p.name, class, reason, around(o.output, want[p.name]))
		if os.Getenv("SHOW") != "" {
			t.Logf("got\n%s\nwant\n%s", o.output, want[p.name])
		}
	}
	t.Logf("%d of %d right", n, len(all))
}
