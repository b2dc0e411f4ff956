package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestInspect refuses and allows plugins before they are installed.
func TestInspect(t *testing.T) {
	t.Parallel()
	u, p := newUpstream(t), newPlace(t)
	first := u.commit("one", nil)
	var seen []Staged
	var note string
	refuse := errors.New("refused by the test")
	inspecting := func(answer error) Options {
		o := options()
		o.Inspect = func(_ context.Context, s Staged) error {
			text, err := os.ReadFile(filepath.Join(s.Dir, "note.txt"))
			seen, note = append(seen, s), string(text)
			return errors.Join(err, answer)
		}
		o.Grant = func([]Facts) error { return errors.New("asked before the inspection") }
		return o
	}
	request := Request{Source: u.url(), Name: "greet"}
	if _, err := Add(t.Context(), p, request, inspecting(refuse)); !errors.Is(err, refuse) {
		t.Fatalf("add: %v", err)
	}
	empty(t, p)
	if _, err := Add(t.Context(), p, request, inspecting(nil)); err != nil {
		t.Fatal(err)
	}
	second := u.commit("two", nil)
	for _, dryRun := range []bool{true, false} {
		o := inspecting(refuse)
		o.DryRun = dryRun
		if _, err := Update(t.Context(), []Place{p}, "greet", o); !errors.Is(err, refuse) {
			t.Errorf("update, dry run %v: %v", dryRun, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(p.Root, "greet", "note.txt")); err != nil || string(text) != "one" {
		t.Errorf("installed after a refusal: %q, %v", text, err)
	}
	if _, err := Update(t.Context(), []Place{p}, "greet", inspecting(nil)); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 5 || note != "two" {
		t.Fatalf("%d inspections, the last of %q", len(seen), note)
	}
	added, updated := seen[1], seen[4]
	if added.Version != 1 || added.Action != "add" || added.Name != "greet" || added.URL != u.url() || added.Commit != first.String() || added.Previous != "" || len(added.Plugins) != 1 {
		t.Errorf("add: %+v", added)
	}
	if updated.Action != "update" || updated.Commit != second.String() || updated.Previous != first.String() || updated.Plugins[0].Name != "greet" {
		t.Errorf("update: %+v", updated)
	}
}
