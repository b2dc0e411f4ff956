package readguard_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// wrote makes a call that writes files. It returns the files that the call wrote, or nil if they are not tracked.
func wrote(t *testing.T, files *readguard.Files, dir string, paths sdk.ToolPaths, fail error) tool.Written {
	t.Helper()
	var got tool.Written
	inner := pather{paths: paths, fake: fake{tool.SourceBuiltin, func(tool.Call) error {
		for _, path := range paths.Write {
			put(t, filepath.Join(dir, path), "written")
		}
		return fail
	}}}
	call := tool.Call{Wrote: func(w tool.Written) { got = w }}
	if _, err := readguard.Guarded(inner, files, readguard.Rules{Write: true}).Execute(t.Context(), call); (err != nil) != (fail != nil) {
		t.Fatal(err)
	}
	return got
}

func TestWritten(t *testing.T) {
	t.Parallel()
	write := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	change := write("formatted")
	tests := []struct {
		name string
		// before, during and after change the file: before the first check, between the checks, and after the last check.
		before, during, after func(path string) error
		by                    string
		quiet, reset          bool
		note                  string
		// guard is a part of the error of the next change. It is empty if the change is allowed.
		guard string
	}{
		{name: "nobody", by: "hook fmt"},
		{name: "a formatter", during: change, by: "hook fmt", note: "[after this call hook fmt changed f]"},
		{name: "the same again", during: write("written"), by: "hook fmt"},
		{name: "a quiet one", during: change, by: "hook fmt", quiet: true},
		{name: "somebody else", during: change, guard: "changed on disk"},
		{name: "somebody else before", before: change, by: "hook fmt", guard: "changed on disk"},
		{name: "somebody else before, then a formatter", before: change, during: write("more"), by: "hook fmt", guard: "changed on disk"},
		{name: "somebody else after", during: change, by: "hook fmt", after: write("more"), note: "[after this call hook fmt changed f]", guard: "changed on disk"},
		{name: "removed", during: os.Remove, by: "plugin rm", note: "[after this call plugin rm removed f]"},
		{name: "removed and back", during: os.Remove, after: change, by: "plugin rm", note: "[after this call plugin rm removed f]", guard: "changed on disk"},
		{name: "a directory in its place", by: "hook x", note: "[after this call hook x changed f]", during: func(path string) error {
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
		}},
		{name: "a link in its place", by: "hook x", note: "[after this call hook x changed f]", guard: "has not been read", during: func(path string) error {
			return errors.Join(os.Remove(path), write("other")(path+".other"), os.Symlink(path+".other", path))
		}},
		{name: "a record that was reset", during: change, by: "hook fmt", reset: true, note: "[after this call hook fmt changed f]", guard: "has not been read"},
		{name: "large", by: "hook fmt", note: "[after this call hook fmt changed f]", during: write(strings.Repeat("x", 17<<20))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files, path := readguard.New(dir), filepath.Join(dir, "f")
			w := wrote(t, files, dir, sdk.ToolPaths{Write: []string{"f"}, Record: []string{"f"}, Guard: []string{"f"}}, nil)
			step := func(do func(string) error) {
				if do == nil {
					return
				}
				if err := do(path); err != nil {
					t.Fatal(err)
				}
			}
			step(tt.before)
			w.AttributeChanges("", false)
			step(tt.during)
			if tt.reset {
				files.Reset()
			}
			w.AttributeChanges(tt.by, tt.quiet)
			step(tt.after)
			if got := w.ChangeNote(); got != tt.note {
				t.Errorf("note %q, want %q", got, tt.note)
			}
			err := files.Guard("f")
			if tt.guard == "" && err != nil || tt.guard != "" && (err == nil || !strings.Contains(err.Error(), tt.guard)) {
				t.Errorf("afterwards %v, want %q", err, tt.guard)
			}
		})
	}
}

func TestWrittenFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := readguard.New(dir)
	f := []string{"f"}
	if w := wrote(t, files, dir, sdk.ToolPaths{Write: f}, nil); w != nil {
		t.Error("a file that the model does not know is followed")
	}
	if w := wrote(t, files, dir, sdk.ToolPaths{Write: f, Record: f}, os.ErrInvalid); w != nil {
		t.Error("the file of a call that failed is followed")
	}
	if w := wrote(t, files, dir, sdk.ToolPaths{Write: f, Record: f, Clear: f}, nil); w != nil {
		t.Error("a file that the call cleared is followed")
	}
	put(t, filepath.Join(dir, "read"), "a")
	if w := wrote(t, files, dir, sdk.ToolPaths{Read: []string{"read"}, Record: []string{"read"}}, nil); w != nil {
		t.Error("a file that the call only read is followed")
	}
}

func TestWrittenNote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := readguard.New(dir)
	names := []string{"a", "./a", "b\n[x]", "c"}
	for i := range 5 {
		names = append(names, fmt.Sprint("n", i))
	}
	w := wrote(t, files, dir, sdk.ToolPaths{Write: names, Record: names}, nil)
	each := func(text string, names ...string) {
		for _, name := range names {
			put(t, filepath.Join(dir, name), text)
		}
	}
	each("one", "a", "b\n[x]")
	w.AttributeChanges("hook one", false)
	each("two", "a")
	w.AttributeChanges("plugin two", false)
	each("three", names...)
	w.AttributeChanges("plugin three", false)
	want := `[after this call hook one changed a, "b\n[x]"; plugin two changed a; plugin three changed a, "b\n[x]", c, n0, n1 and 3 more]`
	if got := w.ChangeNote(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestWrotePaths checks which paths a call reports: those that it wrote, absolute, and none if it failed.
func TestWrotePaths(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		paths sdk.ToolPaths
		fail  error
		want  []string
	}{
		"written":       {sdk.ToolPaths{Write: []string{"a", "b"}}, nil, []string{"a", "b"}},
		"read":          {sdk.ToolPaths{Read: []string{"a"}, Record: []string{"a"}}, nil, nil},
		"a failed call": {sdk.ToolPaths{Write: []string{"a"}}, errors.New("no luck"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			inner := pather{paths: tt.paths, fake: fake{tool.SourceBuiltin, func(tool.Call) error { return tt.fail }}}
			var got []string
			call := tool.Call{WrotePaths: func(paths []string) { got = paths }}
			_, err := readguard.Guarded(inner, readguard.New(dir), readguard.Rules{}).Execute(t.Context(), call)
			if !errors.Is(err, tt.fail) {
				t.Fatal(err)
			}
			var want []string
			for _, name := range tt.want {
				want = append(want, filepath.Join(dir, name))
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
