package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestWaiting checks that an operation that finds the place locked reports so before it waits, continues when the place is
// free, and can be cancelled before.
func TestWaiting(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	other := filepath.Join(t.TempDir(), "other")
	write(t, other, sound())
	tests := []struct {
		name string
		do   func(context.Context, Options) error
	}{
		{"trust", func(ctx context.Context, o Options) error {
			_, err := Trust(ctx, []Place{p}, "greet", o)
			return err
		}},
		{"add", func(ctx context.Context, o Options) error {
			_, err := Add(ctx, p, Request{Source: other}, o)
			return err
		}},
		{"remove", func(ctx context.Context, o Options) error {
			_, err := Remove(ctx, []Place{p}, "greet", o)
			return err
		}},
	}
	for _, tt := range tests {
		s, err := newStage(t.Context(), p, Options{Waiting: func(dir string) { t.Errorf("%s: nobody holds %s", tt.name, dir) }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		o := options()
		o.Waiting = func(string) { cancel() }
		if err := tt.do(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s that is stopped: got %v", tt.name, err)
		}
		told := 0
		o.Waiting = func(dir string) {
			if told++; dir != p.Root {
				t.Errorf("%s waits for %s", tt.name, dir)
			}
			if err := s.close(); err != nil {
				t.Error(err)
			}
		}
		if err := tt.do(t.Context(), o); err != nil || told != 1 {
			t.Errorf("%s: told %d times, %v", tt.name, told, err)
		}
	}
}

// TestAfterWaiting checks that an operation that has waited uses the state that the other operation left.
func TestAfterWaiting(t *testing.T) {
	t.Parallel()

	p := newPlace(t)
	if _, err := Add(t.Context(), p, Request{Source: committed(t, sound()), Name: "greet"}, options()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.Root, "greet")
	now, err := manifest.ReadOrigin(dir)
	if err != nil {
		t.Fatal(err)
	}
	// meanwhile returns options under which the place stays locked until do has run.
	meanwhile := func(do func() error) Options {
		s, err := newStage(t.Context(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		o := options()
		o.Waiting = func(string) {
			if err := errors.Join(do(), s.close()); err != nil {
				t.Error(err)
			}
		}
		return o
	}
	before := *now
	before.Commit = strings.Repeat("0", 40)
	if err := manifest.WriteOrigin(dir, before); err != nil {
		t.Fatal(err)
	}
	done, err := Update(t.Context(), []Place{p}, "greet", meanwhile(func() error { return manifest.WriteOrigin(dir, *now) }))
	if err != nil || !done.Unchanged() {
		t.Errorf("updated meanwhile: got %+v, %v", done, err)
	}
	_, err = Remove(t.Context(), []Place{p}, "greet", meanwhile(func() error { return os.Rename(dir, filepath.Join(t.TempDir(), "gone")) }))
	if err == nil || !strings.Contains(err.Error(), "there is no plugin or pack of that name") {
		t.Errorf("removed meanwhile: got %v", err)
	}
}
