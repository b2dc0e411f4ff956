package readguard_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	testneed.Link(t, to, path)
}

func TestGuard(t *testing.T) {
	t.Parallel()
	const unread, changed = "has not been read; read it first", "has changed on disk since it was read; read it again first"
	record := func(name string) func(*testing.T, *readguard.Files, string) {
		return func(t *testing.T, f *readguard.Files, _ string) {
			t.Helper()
			if err := f.Record(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name string
		// steps run before the guard. Each gets the working directory, which contains the file f.
		steps []func(*testing.T, *readguard.Files, string)
		path  string
		want  string
	}{
		{name: "never seen", path: "f", want: "f exists and " + unread},
		{name: "seen", steps: []func(*testing.T, *readguard.Files, string){record("f")}, path: "f"},
		{name: "seen by another spelling", steps: []func(*testing.T, *readguard.Files, string){record("./x/../f")}, path: "f"},
		{name: "absent", path: "none"},
		{name: "absent below absent", path: "none/none"},
		{name: "a directory", path: "."},
		{name: "below a file", path: "f/x", want: "checking that f/x has been read: "},
		{name: "seen through a link", steps: []func(*testing.T, *readguard.Files, string){func(t *testing.T, _ *readguard.Files, dir string) { t.Helper(); link(t, "f", filepath.Join(dir, "l")) }, record("l")}, path: "f"},
		{name: "guarded through a link", steps: []func(*testing.T, *readguard.Files, string){func(t *testing.T, _ *readguard.Files, dir string) { t.Helper(); link(t, "f", filepath.Join(dir, "l")) }}, path: "l", want: "l exists and " + unread},
		{name: "a link in a circle", steps: []func(*testing.T, *readguard.Files, string){func(t *testing.T, _ *readguard.Files, dir string) { t.Helper(); link(t, "l", filepath.Join(dir, "l")) }}, path: "l", want: "checking that l has been read: "},
		{name: "a link to nothing", steps: []func(*testing.T, *readguard.Files, string){func(t *testing.T, _ *readguard.Files, dir string) {
			t.Helper()
			link(t, "none", filepath.Join(dir, "l"))
		}}, path: "l"},
		{name: "changed in size", steps: []func(*testing.T, *readguard.Files, string){record("f"), func(t *testing.T, _ *readguard.Files, dir string) { t.Helper(); put(t, filepath.Join(dir, "f"), "ab") }}, path: "f", want: "f " + changed},
		{name: "changed behind the back of the clock", steps: []func(*testing.T, *readguard.Files, string){record("f"), func(t *testing.T, _ *readguard.Files, dir string) {
			t.Helper()
			path := filepath.Join(dir, "f")
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			put(t, path, "b")
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}}, path: "f", want: "f " + changed},
		{name: "touched only", steps: []func(*testing.T, *readguard.Files, string){record("f"), func(t *testing.T, _ *readguard.Files, dir string) {
			t.Helper()
			if err := os.Chtimes(filepath.Join(dir, "f"), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}}, path: "f"},
		{name: "cleared", steps: []func(*testing.T, *readguard.Files, string){record("f"), func(t *testing.T, f *readguard.Files, _ string) {
			t.Helper()
			if err := f.Clear("f"); err != nil {
				t.Fatal(err)
			}
		}}, path: "f", want: unread},
		{name: "reset", steps: []func(*testing.T, *readguard.Files, string){record("f"), func(_ *testing.T, f *readguard.Files, _ string) { f.Reset() }}, path: "f", want: unread},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), "a")
			files := readguard.New(dir)
			for _, step := range tt.steps {
				step(t, files, dir)
			}
			err := files.Guard(tt.path)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{"none", "."} {
		if err := readguard.New(dir).Record(path); err == nil {
			t.Errorf("%s was recorded", path)
		}
	}
}

// TestHugeFile checks a file of which only the ends are compared. A change in the middle is detected by its time.
func TestHugeFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(1 << 40); err != nil { // sparse
		testneed.Missing(t, testneed.SparseFiles, err)
	}
	files := readguard.New(dir)
	if err := files.Record("f"); err != nil {
		t.Fatal(err)
	}
	if err := files.Guard("f"); err != nil {
		t.Error(err)
	}
	if _, err := file.WriteAt([]byte("x"), 1<<39); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := files.Guard("f"); err == nil {
		t.Error("a change in the middle was not noticed")
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"f", "g"} {
		put(t, filepath.Join(dir, name), "a")
	}
	files := readguard.New(dir)
	var journal []string
	write := func() {
		raw, err := json.Marshal(files.Changes())
		if err != nil {
			t.Fatal(err)
		}
		journal = append(journal, string(raw))
	}
	for _, name := range []string{"f", "g"} {
		if err := files.Record(name); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if err := files.Record("f"); err != nil || files.Changes() != nil {
		t.Errorf("what was known is a change, %v", err)
	}
	if err := files.Clear("g"); err != nil {
		t.Fatal(err)
	}
	write()

	resumed := readguard.New(dir)
	for _, line := range journal {
		var state readguard.State
		if err := json.Unmarshal([]byte(line), &state); err != nil {
			t.Fatal(err)
		}
		resumed.Restore(state)
	}
	if !reflect.DeepEqual(resumed.Snapshot(), files.Snapshot()) || len(resumed.Snapshot()) != 1 || resumed.Changes() != nil {
		t.Errorf("got %v\nwant %v", resumed.Snapshot(), files.Snapshot())
	}
	if err := resumed.Guard("f"); err != nil {
		t.Error(err)
	}
	if err := resumed.Guard("g"); err == nil {
		t.Error("g is unseen and passed")
	}
	put(t, filepath.Join(dir, "f"), "b")
	if err := resumed.Guard("f"); err == nil {
		t.Error("f has changed and passed")
	}
	copied := files.Snapshot()
	files.Reset()
	if len(copied) != 1 || len(files.Snapshot()) != 0 {
		t.Error("a snapshot is not the caller's own")
	}
	whole := readguard.New(dir)
	whole.Restore(copied)
	whole.Restore(files.Changes())
	if len(whole.Snapshot()) != 0 {
		t.Errorf("got %v after a reset", whole.Snapshot())
	}
}

func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), "a")
	files := readguard.New(dir)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				_ = files.Record("f")
				_ = files.Guard("f")
				files.Restore(files.Snapshot())
				_ = files.Changes()
				_ = files.Clear("f")
			}
		})
	}
	wg.Wait()
	if got := files.Snapshot(); len(got) > 1 {
		t.Errorf("got %v", got)
	}
}
