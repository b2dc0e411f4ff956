package scaffold_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	wholeFiles "github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/settings/scaffold"
)

// plan is scaffold.Plan in a test.
func plan(t *testing.T, home string, force bool) []scaffold.File {
	t.Helper()
	files, err := scaffold.Plan(home, force)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// fill writes everything to a new home and returns it.
func fill(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "project", ".aura")
	if err := scaffold.Write(filepath.Dir(filepath.Dir(home)), plan(t, home, false)); err != nil {
		t.Fatal(err)
	}
	return home
}

func statuses(files []scaffold.File) map[scaffold.Status]int {
	out := map[scaffold.Status]int{}
	for _, f := range files {
		out[f.Status]++
	}
	return out
}

func find(t *testing.T, files []scaffold.File, suffix string) scaffold.File {
	t.Helper()
	i := slices.IndexFunc(files, func(f scaffold.File) bool { return strings.HasSuffix(filepath.ToSlash(f.Path), suffix) })
	if i < 0 {
		t.Fatalf("there is no %s", suffix)
	}
	return files[i]
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestPlanWritesNothing(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), ".aura")
	files := plan(t, home, true)
	if got := statuses(files); got[scaffold.Created] != len(files) || len(files) < 10 {
		t.Errorf("got %v", got)
	}
	if _, err := os.Stat(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the home exists: %v", err)
	}
}

// TestWrite has a row for each initial state of a file.
func TestWrite(t *testing.T) {
	t.Parallel()
	const name = "config/agents/assistant.md"
	rows := map[string]struct {
		before string // empty means no file; "same" means the content that aura writes
		force  bool
		status scaffold.Status
		diff   bool
		after  string // empty means aura's content
	}{
		"absent":            {status: scaffold.Created},
		"absent, forced":    {force: true, status: scaffold.Created},
		"same":              {before: "same", status: scaffold.Unchanged},
		"same, forced":      {before: "same", force: true, status: scaffold.Unchanged},
		"different":         {before: "mine\n", status: scaffold.Kept, diff: true, after: "mine\n"},
		"different, forced": {before: "mine\n", force: true, status: scaffold.Overwritten, diff: true},
	}
	original := read(t, filepath.Join(fill(t), name))
	for about, row := range rows {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			switch row.before {
			case "":
			case "same":
				write(t, filepath.Join(home, name), original)
			default:
				write(t, filepath.Join(home, name), row.before)
			}
			files := plan(t, home, row.force)
			f := find(t, files, name)
			if f.Status != row.status || (f.Diff != "") != row.diff {
				t.Errorf("status %s, diff %q", f.Status, f.Diff)
			}
			if row.diff && (!strings.Contains(f.Diff, "\n-mine\n") || !strings.Contains(f.Diff, "\n+name: assistant\n")) {
				t.Errorf("diff %s", f.Diff)
			}
			if err := scaffold.Write("", files); err != nil {
				t.Fatal(err)
			}
			want := row.after
			if want == "" {
				want = original
			}
			if got := read(t, filepath.Join(home, name)); got != want {
				t.Errorf("got %q", got)
			}
			leftovers(t, home)
		})
	}
}

// leftovers fails if a temporary file remains.
func leftovers(t *testing.T, home string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != ".gitignore" {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWriteKeepsWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	files := plan(t, home, true)
	late := find(t, files, "modes/explain.md").Path
	write(t, late, "late\n")
	if err := scaffold.Write("", files); err != nil {
		t.Fatal(err)
	}
	if got := read(t, late); got != "late\n" {
		t.Errorf("got %q", got)
	}
	if f := find(t, files, "modes/explain.md"); f.Status != scaffold.Kept {
		t.Errorf("status %s", f.Status)
	}
	leftovers(t, home)
}

// TestWriteReplacesLinks checks that the target of a link is not changed, because the link may point to a file of the user.
func TestWriteReplacesLinks(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "mine.md")
	write(t, elsewhere, "mine\n")
	path := filepath.Join(home, "config", "modes", "explain.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	link := func() {
		testneed.Link(t, elsewhere, path)
	}
	link()
	if err := scaffold.Write("", plan(t, home, true)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, elsewhere); got != "mine\n" {
		t.Errorf("what the link led to is %q", got)
	}
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || !strings.Contains(read(t, path), "name: explain") {
		t.Errorf("the file is %v, %v", info, err)
	}
	// A dangling link also belongs to the user.
	if err := errors.Join(os.Remove(elsewhere), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	link()
	if f := find(t, plan(t, home, true), "modes/explain.md"); f.Status != scaffold.Kept {
		t.Errorf("status %s", f.Status)
	}
}

// TestWriteFollowsNoLinks puts a link in place of each directory on the way to a file. As a control, the link is followed if it is
// located outside of the working directory.
func TestWriteFollowsNoLinks(t *testing.T) {
	t.Parallel()
	for _, place := range []string{".aura", ".aura/config", ".aura/config/providers"} {
		for _, force := range []bool{false, true} {
			project, outside := t.TempDir(), t.TempDir()
			home := filepath.Join(project, ".aura")
			link := filepath.Join(project, filepath.FromSlash(place))
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			testneed.Link(t, outside, link)
			files := plan(t, home, force)
			if err := scaffold.Write(project, files); !errors.Is(err, wholeFiles.ErrLink) {
				t.Errorf("%s: error is %v", place, err)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("%s: %v was written, %v", place, left, err)
			}
			if err := scaffold.Write("", plan(t, home, force)); err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) == 0 {
				t.Errorf("%s: the link does not even lead there: %v", place, err)
			}
		}
	}
}

func TestWriteFails(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "file")
	write(t, home, "not a directory")
	files, err := scaffold.Plan(home, false)
	if err == nil {
		err = scaffold.Write("", files)
	}
	if err == nil || !strings.Contains(err.Error(), home) {
		t.Errorf("got %v", err)
	}
}
