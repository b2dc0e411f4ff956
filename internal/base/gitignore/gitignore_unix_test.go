//go:build unix

package gitignore

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A .gitignore that is a link is ignored, as by git. A link to the file of exclusions is followed, as by git.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.MkdirAll(in(".git/info"), 0o700), os.WriteFile(in("rules"), []byte("a\n"), 0o600), os.WriteFile(in("more"), []byte("b\n"), 0o600),
		os.Symlink(in("rules"), in(".gitignore")), os.Symlink(in("more"), in(".git/info/exclude")),
	); err != nil {
		t.Fatal(err)
	}
	rules := Above(dir).With(dir)
	if rules.Ignored(filepath.ToSlash(in("a")), false) {
		t.Error("a linked .gitignore is followed")
	}
	if !rules.Ignored(filepath.ToSlash(in("b")), false) {
		t.Error("a linked file of exclusions is not followed")
	}
}
