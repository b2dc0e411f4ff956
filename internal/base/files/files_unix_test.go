//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/base/files"
)

// scene creates a directory with one file of each type.
func scene(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(
		os.WriteFile(in("file"), []byte("text"), 0o600), os.Mkdir(in("dir"), 0o700), syscall.Mkfifo(in("pipe"), 0o600),
		os.Symlink("file", in("link")), os.Symlink("/dev/zero", in("zero")), os.Symlink("loop", in("loop")),
		os.WriteFile(in("sparse"), nil, 0o600), os.Truncate(in("sparse"), 10<<30),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	for name, row := range map[string]struct{ follow, noFollow error }{
		"file":   {nil, nil},
		"link":   {nil, files.ErrLink},
		"dir":    {files.ErrNotRegular, files.ErrNotRegular},
		"pipe":   {files.ErrNotRegular, files.ErrNotRegular},
		"zero":   {files.ErrNotRegular, files.ErrLink},
		"loop":   {files.ErrLink, files.ErrLink},
		"sparse": {},
		"none":   {os.ErrNotExist, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, way := range []struct {
				read func(string, int64) ([]byte, error)
				want error
			}{{files.Read, row.follow}, {files.ReadNoFollow, row.noFollow}} {
				text, err := way.read(filepath.Join(dir, name), 1<<20)
				switch {
				case name == "sparse":
					if _, tooLarge := errors.AsType[*files.TooLargeError](err); !tooLarge {
						t.Errorf("error is %v, want one about the size", err)
					}
				case !errors.Is(err, way.want):
					t.Errorf("error is %v, want %v", err, way.want)
				case way.want == nil && string(text) != "text":
					t.Errorf("read %q", text)
				}
			}
		})
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	for _, name := range []string{"file", "link", "pipe", "new", "zero"} {
		path := filepath.Join(dir, name)
		if err := files.Replace(path, []byte("new"), 0o640); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o640 {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
	if err := files.Replace(filepath.Join(dir, "dir"), nil, 0o600); !errors.Is(err, files.ErrNotRegular) {
		t.Errorf("a directory was replaced: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	for _, name := range []string{"file", "link", "pipe", "zero", "dir"} {
		if err := files.Create(filepath.Join(dir, name), []byte("new"), 0o600); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	path := filepath.Join(dir, "new")
	if err := files.Create(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := files.ReadNoFollow(path, 10); err != nil || string(text) != "new" {
		t.Errorf("got %q, %v", text, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestReplaceLeavesTheTarget(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	if err := files.Replace(filepath.Join(dir, "link"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != "text" {
		t.Errorf("what the link led to is %q, %v", text, err)
	}
}

func TestSave(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		mode os.FileMode
		err  error
	}{
		"file":     {0o600, nil},
		"new":      {0o644, nil},
		"link":     {0o644, nil},
		"dangling": {0o644, nil},
		"loop":     {0o644, nil},
		"zero":     {0, files.ErrNotRegular},
		"pipe":     {0, files.ErrNotRegular},
		"dir":      {0, files.ErrNotRegular},
	} {
		path := filepath.Join(dir, name)
		if err := files.Save(path, []byte("new"), 0o644); !errors.Is(err, want.err) {
			t.Errorf("%s: error is %v, want %v", name, err, want.err)
		}
		if info, err := os.Lstat(path); err != nil || want.err == nil && info.Mode() != want.mode {
			t.Errorf("%s is %v, %v", name, info.Mode(), err)
		}
	}
}

func TestSaveBelow(t *testing.T) {
	t.Parallel()
	dir, outside := scene(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	secret := filepath.Join(outside, "file")
	if err := errors.Join(
		os.WriteFile(secret, []byte("mine"), 0o600), os.Symlink(outside, in("out")), os.Symlink("dir", in("within")), os.Symlink(secret, in("away")),
	); err != nil {
		t.Fatal(err)
	}
	// The user may reach the directory by a link outside of it.
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	up, err := filepath.Rel(dir, filepath.Join(outside, "wanted"))
	if err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{
		"file": true, "new": true, "link": true, "away": true, "dir/new": true, up: true, in("dir/absolute"): true, filepath.Join(alias, "dir/alias"): true,
		"within/other": false, in("within/other"): false, filepath.Join(alias, "within/other"): false, in("out/file"): false, "out/file": false, "out/new": false, "pipe": false, "dir": false, "none/new": false,
	} {
		if err := files.SaveBelow(dir, name, []byte("new"), 0o644); (err == nil) != ok {
			t.Errorf("%s: error is %v", name, err)
		}
		if !ok {
			continue
		}
		if !filepath.IsAbs(name) {
			name = in(name)
		}
		if text, err := os.ReadFile(name); err != nil || string(text) != "new" {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "mine" {
		t.Errorf("a link was followed: %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a link to a directory was followed")
	}
	// As a control, without the protection the link is followed.
	if err := files.Save(in("out/file"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(secret); err != nil || string(text) != "new" {
		t.Errorf("the link leads nowhere: %q, %v", text, err)
	}
}

// TestBelow makes directories, files and copies through links. No link below the directory is followed. As a control, the same
// functions follow them if there is no such directory.
func TestBelow(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(dir, path string) error{
		"SaveModeBelow": func(dir, path string) error {
			return files.SaveModeBelow(dir, filepath.Join(path, "new"), []byte("new"), 0o600)
		},
		"CreateBelow": func(dir, path string) error {
			return files.CreateBelow(dir, filepath.Join(path, "new"), []byte("new"), 0o600, 0o700)
		},
		"MkdirBelow": func(dir, path string) error { return files.MkdirBelow(dir, filepath.Join(path, "a/b"), 0o700) },
		"ReadPathBelow": func(dir, path string) error {
			_, err := files.ReadPathBelow(dir, filepath.Join(path, "file"), 100)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := scene(t), t.TempDir()
			in := func(name string) string { return filepath.Join(dir, name) }
			if err := errors.Join(
				os.Symlink(outside, in("out")), os.Symlink("dir", in("within")), os.WriteFile(in("dir/file"), []byte("text"), 0o600),
				os.WriteFile(filepath.Join(outside, "file"), []byte("text"), 0o600), os.Mkdir(in("dir/deep"), 0o700), os.Symlink("../../dir", in("dir/deep/up")),
			); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"out", in("out"), "within", in("within"), "dir/deep/up", in("dir/../within")} {
				if err := act(dir, path); !errors.Is(err, files.ErrLink) {
					t.Errorf("%s: error is %v", path, err)
				}
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) != 1 {
				t.Errorf("a link was followed: %v, %v", left, err)
			}
			for _, path := range []string{"dir", outside} {
				if err := act(dir, path); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(outside, "new")), act("", in("out"))); err != nil {
				t.Errorf("without a directory: %v", err)
			}
		})
	}
	dir := scene(t)
	if err := files.CreateBelow(dir, "file", nil, 0o600, 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating what exists: %v", err)
	}
	if err := files.CreateBelow(dir, "link", nil, 0o600, 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating a link that exists: %v", err)
	}
	if err := files.CreateBelow(dir, "a/b/c", []byte("x"), 0o600, 0o700); err != nil {
		t.Error(err)
	}
	if err := files.MkdirBelow(dir, "file/x", 0o700); err == nil {
		t.Error("a directory was made below a file")
	}
	for name, want := range map[string]error{"link": files.ErrLink, "pipe": files.ErrNotRegular, "none/x": fs.ErrNotExist} {
		if _, err := files.ReadPathBelow(dir, name, 100); !errors.Is(err, want) {
			t.Errorf("reading %s: %v", name, err)
		}
	}
}

func TestReadBelow(t *testing.T) {
	t.Parallel()
	dir, outside := scene(t), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(in("dir/file"), []byte("text"), 0o600), os.WriteFile(filepath.Join(outside, "file"), []byte("mine"), 0o600),
		os.Symlink(outside, in("out")), os.Symlink("dir", in("within")),
	); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, want := range map[string]error{
		"file": nil, "dir/file": nil, "within/file": nil, "none": fs.ErrNotExist,
		"link": files.ErrLink, "zero": files.ErrLink, "loop": files.ErrLink, "dir": files.ErrNotRegular, "pipe": files.ErrNotRegular,
	} {
		text, err := files.ReadBelow(root, name, 1<<20)
		if !errors.Is(err, want) || err == nil && string(text) != "text" {
			t.Errorf("%s: got %q, %v, want %v", name, text, err, want)
		}
	}
	for _, name := range []string{"out/file", "../file", "/etc/hostname"} {
		if text, err := files.ReadBelow(root, name, 1<<20); err == nil {
			t.Errorf("%s leads out, to %q", name, text)
		}
	}
	if _, err := files.ReadBelow(root, "sparse", 1<<20); err == nil {
		t.Error("a huge file was read")
	}
}

func TestReadDirBelow(t *testing.T) {
	t.Parallel()
	dir, outside := scene(t), t.TempDir()
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "out")), os.Symlink("dir", filepath.Join(dir, "within"))); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, ok := range map[string]bool{".": true, "dir": true, "within": true, "out": false, "..": false, "file": false, "pipe": false, "none": false} {
		if _, err := files.ReadDirBelow(root, name, 100); (err == nil) != ok {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	entries, err := files.ReadDirBelow(root, ".", 3)
	if err != nil || len(entries) != 3 || entries[0].Name() > entries[1].Name() || entries[1].Name() > entries[2].Name() {
		t.Errorf("got %v, %v", entries, err)
	}
}
