package workspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/workspace"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// member returns entries of an archive as one piece, which can be repeated.
func member(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for _, h := range entries {
		if err := out.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// TestManyEntries unpacks ten million entries. They are refused before the first one is written.
func TestManyEntries(t *testing.T) {
	t.Parallel()
	testneed.Long(t)
	entries := make([]tar.Header, 10_000)
	for i := range entries {
		entries[i] = tar.Header{Name: fmt.Sprintf("d/%d", i), Typeflag: tar.TypeDir}
	}
	dir := t.TempDir()
	err := workspace.Unpack(bytes.NewReader(bytes.Repeat(member(t, entries...), 1000)), dir)
	if err == nil || !strings.Contains(err.Error(), "more than 100000 files") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestModes unpacks files with every bit that a mode can have. Nobody else can write them, and none changes its user.
func TestModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := workspace.Unpack(bytes.NewReader(member(t, tar.Header{Name: "x", Typeflag: tar.TypeReg, Mode: 0o7777}, tar.Header{Name: "d", Typeflag: tar.TypeDir, Mode: 0o7777})), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x", "d"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid|os.ModeSticky|0o022) != 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// TestPackRefusesCases packs a directory that would be another one on some systems.
func TestPackRefusesCases(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "1")
	write(t, filepath.Join(dir, "A"), "2")
	if list, err := os.ReadDir(dir); err != nil || len(list) < 2 {
		return // this file system is such a one
	}
	if _, err := workspace.Pack(dir, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "differ only in letter case") {
		t.Errorf("got %v", err)
	}
}

// TestCollectNoRepository collects everything. Files of repositories stay behind, because git would run what they say.
func TestCollectNoRepository(t *testing.T) {
	t.Parallel()
	s, err := prepare(t, fleet.Workspace{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", ".git/config", "d/.GIT/config", "d/b"} {
		write(t, filepath.Join(s.Dir, name), "x")
	}
	found, notes, err := s.Collect([]string{"**"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Path)
	}
	if strings.Join(got, " ") != "a d/b" || len(notes) != 2 {
		t.Errorf("got %q, notes %q", got, notes)
	}
}

// TestStoredAsTheyAre changes a workspace whose attributes convert files. The patch has what the files contain, and nothing else.
func TestStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	url, _ := repository(t)
	dir := strings.TrimPrefix(url, "file://")
	write(t, filepath.Join(dir, ".gitattributes"), "*.bat text eol=crlf\n")
	write(t, filepath.Join(dir, "run.bat"), "one\ntwo\n")
	write(t, filepath.Join(dir, "tracked.log"), "x\n")
	gitIn(t, dir, nil, "add", ".")
	write(t, filepath.Join(dir, ".gitignore"), "*.log\nbuild/\n")
	gitIn(t, dir, nil, "add", ".")
	gitIn(t, dir, nil, "commit", "--quiet", "-m", "two")
	from, err := prepare(t, fleet.Workspace{Git: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(from.Dir, "run.bat")); err != nil || string(data) != "one\r\ntwo\r\n" {
		t.Fatalf("%q, %v", data, err)
	}
	write(t, filepath.Join(from.Dir, "new.bat"), "a\n")
	write(t, filepath.Join(from.Dir, "tracked.log"), "y\n")
	write(t, filepath.Join(from.Dir, "other.log"), "ignored\n")
	write(t, filepath.Join(from.Dir, "build", "out"), "ignored\n")
	patch, err := from.Patch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := string(patch)
	if strings.Contains(text, "run.bat") || strings.Contains(text, "ignored") || !strings.Contains(text, "+a\n") || !strings.Contains(text, "+y\n") {
		t.Errorf("the patch is %s", text)
	}
	to, err := prepare(t, fleet.Workspace{Git: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Apply(t.Context(), patch); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"new.bat": "a\n", "tracked.log": "y\n", "run.bat": "one\r\ntwo\r\n"} {
		if data, err := os.ReadFile(filepath.Join(to.Dir, name)); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}
