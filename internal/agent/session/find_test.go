package session_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func id(path string) string { return strings.TrimSuffix(filepath.Base(path), session.Ext) }

func rename(t *testing.T, path, name string) {
	t.Helper()
	if err := session.Rename(path, name, nil); err != nil {
		t.Fatal(err)
	}
}

// write writes a journal with one prompt and the given id into a directory.
func write(t *testing.T, dir, id, prompt string) string {
	t.Helper()
	path := filepath.Join(dir, id+session.Ext)
	text := `{"meta":{"id":"` + id + `"}}` + "\n" + `{"message":{"role":"user","content":"` + prompt + `"}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	t.Parallel()
	project, user := t.TempDir(), t.TempDir()
	build := write(t, project, "0aaa1111-1", "Fix the build")
	write(t, user, "0aaa1111-2", "fix the docs")
	named := write(t, user, "0bbb2222-1", "something")
	rename(t, named, "Release notes")
	hex := write(t, user, "0ccc3333-1", "fix nothing")
	rename(t, hex, "0aaa")
	rename(t, write(t, user, "0ddd4444-1", "x"), "twice")
	rename(t, write(t, user, "0ddd4444-2", "x"), "twice")
	broken := filepath.Join(project, "broken"+session.Ext)
	if err := os.WriteFile(broken, []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ word, want, err string }{
		"a whole id":               {"0aaa1111-1", build, ""},
		"a unique beginning":       {"0b", named, ""},
		"an ambiguous beginning":   {"0aaa1", "", `2 sessions are meant: 0aaa1111-2 (fix the docs), 0aaa1111-1 (Fix the build)`},
		"a name":                   {"Release notes", named, ""},
		"a name in another case":   {"release  NOTES", named, ""},
		"the beginning of a name":  {"rel", named, ""},
		"a name like many ids":     {"0aaa", hex, ""},
		"one name of two":          {"twice", "", "2 sessions are meant"},
		"the beginning of a title": {"fix the b", build, ""},
		"an ambiguous title":       {"fix the", "", "(Fix the build)"},
		"the name, not the prompt": {"something", "", "no session has such an id, name or title"},
		"an unknown one":           {"zz", "", "no session has such an id, name or title"},
		"nothing":                  {" ", "", "is empty"},
		"a damaged one":            {"broken", broken, ""},
	} {
		got, err := session.Find(row.word, project, user)
		if row.err == "" && (err != nil || got.Path != row.want) {
			t.Errorf("%s: got %s, %v", name, got.Path, err)
		}
		if row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
			t.Errorf("%s: got %v, want %q", name, err, row.err)
		}
	}
	if _, err := session.Find("zz", project); !errors.Is(err, session.ErrNone) {
		t.Errorf("got %v", err)
	}
	short, err := session.ShortIDs(project, user)
	if err != nil || short["0aaa1111-1"] != "0aaa1111-1" || short["0bbb2222-1"] != "0bbb2222" || short["broken"] != "broken" {
		t.Errorf("got %v, %v", short, err)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended, killed := made(t, dir, "one"), write(t, dir, "0aaa", "two")
	for path, reason := range map[string]session.Reason{ended: session.ReasonDone, killed: ""} {
		before, err := session.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		used := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		if err := os.Chtimes(path, used, used); err != nil {
			t.Fatal(err)
		}
		hide := func(document []byte) []byte { return bytes.ReplaceAll(document, []byte("hush"), []byte("[redacted]")) }
		if err := session.Rename(path, "a hush name", hide); err != nil {
			t.Fatal(err)
		}
		got, err := session.Find(id(path), dir)
		if err != nil || got.Name != "a [redacted] name" || got.Title != got.Name || got.End != reason || got.Messages != 1 || !got.UsedAt.Equal(used) {
			t.Errorf("%s: got %+v, %v", path, got, err)
		}
		after, err := session.Load(path)
		if err != nil || before.End != nil && !after.End.At.Equal(before.End.At) {
			t.Errorf("%s: ended %+v, %v", path, after.End, err)
		}
	}
	for _, name := range []string{"", strings.Repeat("x", 101)} {
		if session.Rename(ended, name, nil) == nil {
			t.Errorf("a name of %d characters was taken", len(name))
		}
	}
}

// TestForeign checks that a session has the id of its file name, whatever id the file contains: directories are named by the
// id.
func TestForeign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "0aaa", "x")
	for _, name := range []string{"0aaa", "", ".."} {
		if err := os.WriteFile(filepath.Join(dir, name+session.Ext), []byte(`{"meta":{"id":"../../.."}}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	j, s, err := session.Reopen(path)
	if err != nil || j.ID() != "0aaa" || s.Meta.ID != "0aaa" {
		t.Errorf("got %q and %+v, %v", j.ID(), s.Meta, err)
	}
	if err := j.Close(session.End{}); err != nil {
		t.Error(err)
	}
	if list, err := session.List(dir); err != nil || len(list) != 1 || list[0].ID != "0aaa" {
		t.Errorf("got %+v, %v", list, err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	output, outside := filepath.Join(dir, "output", "x"), filepath.Join(dir, "outside")
	locked := filepath.Join(output, "locked")
	path := made(t, dir, "one")
	for _, d := range []string{filepath.Join(locked, "deep"), outside} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(outside, "kept")
	if err := errors.Join(os.WriteFile(kept, []byte("kept"), 0o600), os.WriteFile(filepath.Join(output, "a"), []byte("1234"), 0o600),
		os.Chmod(locked, 0)); err != nil {
		t.Fatal(err)
	}
	testneed.Link(t, outside, filepath.Join(output, "link"))
	if size := session.Size(output); size != 4 {
		t.Errorf("the output has %d bytes", size)
	}
	j, _, err := session.Reopen(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Remove(path, output); !errors.Is(err, session.ErrOpen) || !session.IsOpen(path) {
		t.Errorf("an open session: got %v", err)
	}
	if err := j.Close(session.End{}); err != nil || session.IsOpen(path) {
		t.Fatalf("a closed session is open (%v)", err)
	}
	if err := session.Remove(path, output); err != nil {
		t.Error(err)
	}
	for gone, want := range map[string]bool{path: true, output: true, kept: false} {
		if _, err := os.Lstat(gone); os.IsNotExist(err) != want {
			t.Errorf("%s: %v", gone, err)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	say := func(role llm.Role, text string) llm.Message { return llm.Message{Role: role, Content: text} }
	made(t, dir, "nothing here")
	title := made(t, dir, "plain")
	rename(t, title, "The Gopher session")
	long, err := session.Create(dir, session.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		long.Append(say(llm.RoleUser, "ask")),
		long.Append(say(llm.RoleAssistant, "first\na GOPHER "+strings.Repeat("é", 200)+"\nlast")),
		long.Append(say(llm.RoleTool, "kept gopher")),
		long.Compact(say(llm.RoleUser, "summary"), 1),
		long.Append(say(llm.RoleUser, "undone gopher")), long.Rewind(2),
		long.Append(say(llm.RoleUser, "hush, gopher")),
		long.Close(session.End{Reason: session.ReasonDone}),
	); err != nil {
		t.Fatal(err)
	}
	hide := func(text string) string { return strings.ReplaceAll(text, "hush", "[redacted]") }
	broken := filepath.Join(dir, "broken"+session.Ext)
	if err := os.WriteFile(broken, []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, faults, err := session.Search("Gopher", hide, dir)
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), broken) {
		t.Errorf("faults %v", faults)
	}
	if err != nil || len(got) != 2 || got[0].Path != long.Path() || got[1].Path != title {
		t.Fatalf("got %+v, %v", got, err)
	}
	want := []string{"a GOPHER " + strings.Repeat("é", 30) + "…", "kept gopher", "[redacted], gopher"}
	if !slices.Equal(got[0].Lines, want) || len(got[1].Lines) != 0 {
		t.Errorf("got %q, want %q", got[0].Lines, want)
	}
	if got, _, err := session.Search("hush", hide, dir); err != nil || len(got) != 0 {
		t.Errorf("a secret was found: %+v, %v", got, err)
	}
}
