package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFollow compares both ways to follow links: part by part, and with one question for the whole path.
func TestFollow(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return root + "/" + name }
	err = errors.Join(
		os.MkdirAll(at("dir/below"), 0o700), os.WriteFile(at("file"), nil, 0o600), os.Symlink("dir", at("link")), os.Symlink(at("file"), at("dir/tofile")),
		os.Symlink("missing", at("dangling")), os.Symlink("loop", at("loop")), os.MkdirAll(at("closed/in"), 0o700), os.Chmod(at("closed"), 0),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(at("closed"), 0o700) })
	for path, want := range map[string]string{
		"dir/below":         "dir/below",
		"file":              "file",
		"file/below":        "file/below",
		"missing/below":     "missing/below",
		"closed/in":         "closed/in",
		"link":              "dir",
		"link/below":        "dir/below",
		"link/missing/x":    "dir/missing/x",
		"dir/tofile":        "file",
		"link/tofile":       "file",
		"dangling":          "missing",
		"missing/../link":   "dir",
		"missing/../dir":    "dir",
		"dir//below/":       "dir/below",
		"dir/./below/..":    "dir",
		"link/../file":      "file",
		"dangling/../link":  "dir",
		"dir/below/../../x": "x",
	} {
		if got, _ := follow(at(path)); got != at(want) {
			t.Errorf("%s leads to %s, want %s", path, strings.TrimPrefix(got, root+"/"), want)
		}
		// The question for the whole path must never hide a link.
		if isPlain(at(path)) && at(want) != filepath.Clean(at(path)) {
			t.Errorf("%s counts as plain", path)
		}
	}
	if isPlain(at("loop")) || isPlain("relative") || isPlain("") || isPlain("/proc/self/exe") {
		t.Error("a path counts as plain that is none")
	}
	if !isPlain(at("dir/below")) {
		t.Error("a plain path is not recognised")
	}
}
