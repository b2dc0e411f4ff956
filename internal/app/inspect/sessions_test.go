package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
)

// TestPrune checks that old sessions of one project or of all projects are removed, and the leftover output of removed
// sessions.
func TestPrune(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Now()
	for name, row := range map[string]struct {
		options PruneOptions
		// gone holds the files that are removed, below the directories of two projects.
		gone []string
	}{
		"by age":      {PruneOptions{Older: 30 * day}, []string{"a/output/lost", "a/output/old", "a/sessions/old.jsonl", "b/output/old"}},
		"everywhere":  {PruneOptions{Older: 30 * day, All: true}, []string{"a/output/lost", "a/output/old", "a/sessions/old.jsonl", "b/output/old", "b/sessions/older.jsonl"}},
		"some spared": {PruneOptions{Older: 30 * day, All: true, Keep: 1}, []string{"a/output/lost", "a/output/old", "a/sessions/old.jsonl", "b/output/old"}},
		"by number":   {PruneOptions{Keep: 1}, []string{"a/output/lost", "a/output/old", "a/sessions/old.jsonl", "b/output/old"}},
		"none":        {PruneOptions{Older: 90 * day, All: true}, nil},
		"a dry run":   {PruneOptions{All: true, DryRun: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			projects := filepath.Join(t.TempDir(), "projects")
			// The session "old" of project a was also used in project b.
			ages := map[string]time.Duration{
				"a/sessions/new.jsonl": 0, "a/sessions/old.jsonl": 40 * day, "a/output/new": 40 * day, "a/output/old": 40 * day, "a/output/lost": 40 * day,
				"b/sessions/older.jsonl": 50 * day, "b/output/old": 0,
			}
			for file, age := range ages {
				path := filepath.Join(projects, file)
				err := os.MkdirAll(filepath.Dir(path), 0o700)
				if filepath.Ext(file) == "" {
					err = errors.Join(err, os.Mkdir(path, 0o700))
				} else {
					err = errors.Join(err, os.WriteFile(path, []byte(`{"meta":{"id":"x"}}`+"\n"), 0o600))
				}
				if err = errors.Join(err, os.Chtimes(path, now, now.Add(-age))); err != nil {
					t.Fatal(err)
				}
			}
			c := &config.Config{State: state.Paths{Root: filepath.Dir(projects), Project: filepath.Join(projects, "a")}}
			if _, err := Prune(c, row.options, now); err != nil {
				t.Fatal(err)
			}
			var gone []string
			for file := range ages {
				if _, err := os.Stat(filepath.Join(projects, file)); err != nil {
					gone = append(gone, file)
				}
			}
			slices.Sort(gone)
			if !slices.Equal(gone, row.gone) {
				t.Errorf("gone are %v, want %v", gone, row.gone)
			}
		})
	}
	if list, err := Prune(&config.Config{}, PruneOptions{}, now); err == nil || list != nil {
		t.Errorf("without a place for state: %v, %v", list, err)
	}
}

// TestFindSession checks that the project is searched first.
func TestFindSession(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, file := range []string{"a/sessions/0aaa1.jsonl", "b/sessions/0aaa2.jsonl", "b/sessions/0bbb.jsonl"} {
		path := filepath.Join(root, "projects", file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"meta":{"id":"x"}}`+"\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := &config.Config{State: state.Paths{Root: root, Project: filepath.Join(root, "projects", "a")}}
	for word, want := range map[string]string{"0aaa": "0aaa1", "0aaa2": "0aaa2", "0b": "0bbb"} {
		if got, err := FindSession(c, word); err != nil || got.ID != want {
			t.Errorf("%s: got %s, %v", word, got.ID, err)
		}
	}
	if _, err := FindSession(c, "0c"); !errors.Is(err, session.ErrNone) || !strings.Contains(err.Error(), `"0c"`) {
		t.Errorf("got %v", err)
	}
}
