package filefind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree creates files, and directories for names that end in a slash.
func tree(tb testing.TB, names ...string) string {
	tb.Helper()
	dir := tb.TempDir()
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o700)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// finder returns a Finder whose first walk has ended, so that no test depends on its duration.
func finder(tb testing.TB, dir string) *Finder {
	tb.Helper()
	f := New(dir)
	tb.Cleanup(f.Close)
	if done := f.refresh(); done != nil {
		<-done
	}
	return f
}

// find returns the paths that a query finds, with a slash after directories.
func find(tb testing.TB, f *Finder, query string) []string {
	tb.Helper()
	matches, err := f.Find(tb.Context(), query, 20)
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for _, m := range matches {
		if m.Dir {
			m.Path += "/"
		}
		out = append(out, m.Path)
	}
	return out
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := tree(t,
		".gitignore=*.log\n/build/\n", ".git/info/exclude=private\n", ".git/HEAD", "README.md", "debug.log", "private", "build/out.go",
		"cmd/main.go", "cmd/.gitignore=!keep.log\n*.tmp\n", "cmd/keep.log", "cmd/x.tmp", "cmd/.env", ".github/workflows/test.yml", ".env",
		"internal/lineedit/editor.go", "internal/lineedit/build/", "Ünicode/Straße.txt",
	)
	f := finder(t, dir)
	tests := map[string]struct {
		query string
		want  []string
	}{
		"everything": {"", []string{
			"README.md", "cmd/", "internal/", "Ünicode/", "cmd/keep.log", "cmd/main.go", "internal/lineedit/", "Ünicode/Straße.txt",
			"internal/lineedit/build/", "internal/lineedit/editor.go",
		}},
		"base name":        {"main", []string{"cmd/main.go"}},
		"ignored":          {"debug", nil},
		"excluded":         {"private", nil},
		"kept":             {".log", []string{"cmd/keep.log"}},
		"ignored by cmd":   {"x.tmp", nil},
		"directory only":   {"build", []string{"internal/lineedit/build/"}},
		"directory":        {"lineedit/", []string{"internal/lineedit/build/", "internal/lineedit/editor.go"}},
		"hidden":           {".env", []string{".env", "cmd/.env"}},
		"hidden directory": {".github/w", []string{".github/workflows/", ".github/workflows/test.yml"}},
		"hidden below":     {"cmd/.en", []string{"cmd/.env"}},
		"not hidden":       {"env", nil},
		"never .git":       {".git/HEAD", nil},
		"this directory":   {"./read", []string{"README.md"}},
		"other scripts":    {"straß", []string{"Ünicode/Straße.txt"}},
		"above":            {"../", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := find(t, f, tt.query)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFindPositions(t *testing.T) {
	t.Parallel()
	matches, err := finder(t, tree(t, "cmd/main.go")).Find(t.Context(), "MA", 1)
	if want := "[{cmd/main.go false [4 5]}]"; err != nil || fmt.Sprint(matches) != want {
		t.Errorf("got %v, %v, want %s", matches, err, want)
	}
}

// In a directory that its repository ignores, the files are candidates: the user works there.
func TestIgnoredRoot(t *testing.T) {
	t.Parallel()
	dir := tree(t, ".git/", ".gitignore=out/\n*.log\n", "out/a.log", "sub/b.log", "sub/c")
	if got := find(t, finder(t, filepath.Join(dir, "out")), ""); !slices.Equal(got, []string{"a.log"}) {
		t.Errorf("ignored: got %q", got)
	}
	if got := find(t, finder(t, filepath.Join(dir, "sub")), ""); !slices.Equal(got, []string{"c"}) {
		t.Errorf("not ignored: got %q", got)
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	dir := tree(t, "one")
	f := finder(t, dir)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "two"), nil, 0o600), os.Remove(filepath.Join(dir, "one"))); err != nil {
		t.Fatal(err)
	}
	if got := find(t, f, ""); !slices.Equal(got, []string{"one"}) {
		t.Errorf("a new list: got %q", got)
	}
	renew(t, f)
	if got := find(t, f, ""); !slices.Equal(got, []string{"two"}) {
		t.Errorf("an old list: got %q", got)
	}
}

// renew makes the list old and waits for the next walk.
func renew(t *testing.T, f *Finder) {
	t.Helper()
	f.mu.Lock()
	f.renew = f.renew.AddDate(-1, 0, 0)
	f.mu.Unlock()
	f.refresh()
	f.mu.Lock()
	running := f.running
	f.mu.Unlock()
	if running != nil {
		<-running.done
	}
}

func TestNoDirectory(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	root := filepath.Join(dir, "later")
	f := finder(t, root)
	if matches, err := f.Find(t.Context(), "", 9); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "listing files") {
		t.Errorf("got %v, %v", matches, err)
	}
	if err := errors.Join(os.Mkdir(root, 0o700), os.WriteFile(filepath.Join(root, "a"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	renew(t, f)
	if got := find(t, f, ""); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after it was created: got %q", got)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	f := New(tree(t, "a"))
	defer f.Close()
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := f.Find(ctx, "", 9); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	f := New(tree(t, "a"))
	f.refresh()
	f.Close()
	f.Close()
	if f.running != nil {
		t.Error("a walk still runs")
	}
	if _, err := f.Find(t.Context(), "", 9); err != nil || f.running != nil {
		t.Errorf("a closed Finder walks: %v", err)
	}
}

// A walk reports what it has found before it ends.
func TestReports(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var reported []int
	found, err := walk(ctx, tree(t, "a/b/c", "d", "e/f"), maxEntries, func(found []entry) {
		if reported = append(reported, len(found)); len(reported) == 2 {
			cancel()
		}
	})
	if fmt.Sprint(reported) != "[3 4]" || len(found) != 4 || err != nil {
		t.Errorf("reported %v, found %d, %v", reported, len(found), err)
	}
}

// Hidden files do not take the place of others.
func TestTooMany(t *testing.T) {
	t.Parallel()
	dir := tree(t, ".a/x", "b/c/d/e", "b/y", "z")
	for most, want := range map[int]string{
		1: "[.a]", 3: "[.a b z]", 5: "[.a b z b/c b/y]", 7: "[.a b z b/c b/y b/c/d b/c/d/e]", 8: "[.a b z b/c b/y b/c/d b/c/d/e .a/x]",
	} {
		found, err := walk(t.Context(), dir, most, func([]entry) {})
		var got []string
		for _, e := range found {
			got = append(got, e.path)
		}
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%d: got %v, %v, want %s", most, got, err, want)
		}
	}
}

// many creates directories with empty files.
func many(tb testing.TB, dir string, dirs, perDir int) {
	tb.Helper()
	for d := range dirs {
		sub := filepath.Join(dir, fmt.Sprintf("package%03d", d))
		if err := os.Mkdir(sub, 0o700); err != nil {
			tb.Fatal(err)
		}
		for n := range perDir {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("source_file_%d.go", n)), nil, 0o600); err != nil {
				tb.Fatal(err)
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	many(b, dir, 200, 100)
	f := finder(b, dir)
	for _, query := range []string{"", "s", "file_77", "p199sf9", "package1/source", "none of them"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Find(b.Context(), query, 10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The rules of a directory do not depend on which directory was read before.
func TestNestedRules(t *testing.T) {
	t.Parallel()
	dir := tree(t, ".git/", "a/.gitignore=x\n", "a/x", "a/b/c/x", "a/b/c/d/y", "ab/x", "ab/c/.gitignore=/y\n", "ab/c/y", "ab/c/d/y", "c/x")
	var got []string
	for _, path := range find(t, finder(t, dir), "") {
		if !strings.HasSuffix(path, "/") {
			got = append(got, path)
		}
	}
	if want := []string{"ab/x", "c/x", "ab/c/d/y", "a/b/c/d/y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	dir := tree(t, strings.Repeat("d/", 80)+"file")
	f := finder(t, dir)
	if got := len(f.entries); got != maxDepth+1 {
		t.Errorf("%d directories", got)
	}
}
