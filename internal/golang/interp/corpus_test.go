package interp

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	checker "github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/shared"
)

// TestCorpus runs the plugins of the checker's corpus, whose constructs the bare interpreter refuses, crashes on or gets wrong. Each
// prints what Go prints and has no finding, or is refused by the loader where the checker finds it.
func TestCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../author/check/testdata/corpus/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d plugins, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for line := range strings.Lines(string(archive.Comment)) {
				if text, ok := strings.CutPrefix(strings.TrimSpace(line), "go: "); ok {
					want = name + "=" + text
				}
			}
			dir := unpack(t, "-- go.mod --\nmodule "+name+"\n-- plugin.yaml --\ndescription: test\n"+string(txtar.Format(&txtar.Archive{Files: archive.Files})))
			stdout, stderr := output(t), output(t)
			found := checker.Dir(dir, checker.Options{})
			p, err := Load(Options{Name: name, Dir: dir, Stdout: stdout, Stderr: stderr})
			if err != nil {
				if len(found) == 0 {
					t.Errorf("it is refused, and the checker finds nothing: %v", err)
				}
				t.Logf("refused: %v: %v", err, found)
				return
			}
			for _, f := range found {
				t.Errorf("finding: %d %s: %s", f.Line, f.Rule, f.Message)
			}
			result, err := p.Command(t.Context(), shared.CommandCall{Name: name})
			if err != nil {
				t.Errorf("running: %v, want %q", err, want)
				return
			}
			if got := result.Output; got != want && want != "" {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
