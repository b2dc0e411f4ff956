//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/python"
)

// TestUv installs packages with a program that takes the place of uv: it prints what it chose and writes its arguments down.
func TestUv(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "sh")
	const uv = `#!/bin/sh
echo "$*" >>"$UV_LOG"
echo "caches $PIP_CACHE_DIR $UV_CACHE_DIR $TMPDIR" >>"$UV_LOG"
case "$2" in
compile) cat >>"$UV_LOG"; printf '%s\n' "$UV_CHOICE" ;;
install) [ -f .requirements.txt ] && touch "$UV_LOG.installed" ;;
esac
`
	for _, row := range []struct{ name, choice, err string }{
		{name: "index", choice: "helping==1.0 --hash=sha256:" + hashA},
		{name: "address", choice: "helping @ https://example.com/helping.whl", err: "not a package of an index"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bin, log := filepath.Join(dir, "bin"), filepath.Join(dir, "log")
			extension := filepath.Join(dir, "extension")
			for _, path := range []string{bin, filepath.Join(extension, python.LibraryDir)} {
				if err := os.MkdirAll(path, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			planted := filepath.Join(extension, python.LibraryDir, "planted.py")
			for path, text := range map[string]string{filepath.Join(bin, "uv"): uv, planted: ""} {
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // a program
					t.Fatal(err)
				}
			}
			o := Options{
				Environ: []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "UV_LOG=" + log, "UV_CHOICE=" + row.choice, "UV_CACHE_DIR=" + dir, "TMPDIR=" + dir},
				Private: filepath.Join(dir, "private"),
				Python:  func() (string, error) { return "/usr/bin/python3", nil },
			}
			err := o.installPackages(t.Context(), extension, []string{"helping>=1"})
			if row.err == "" && err != nil || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
				t.Fatalf("got %v, want %q", err, row.err)
			}
			_, installed := os.Stat(log + ".installed")
			if _, err := os.Stat(planted); err == nil {
				t.Error("a file of the source is among the packages")
			}
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if (installed == nil) != (row.err == "") || strings.Contains(string(text), "pip install") != (row.err == "") {
				t.Errorf("installed: %v; the program was called with\n%s", installed == nil, text)
			}
			if caches := filepath.Join(o.Private, "python"); !strings.Contains(string(text), "caches "+caches+"/pip "+caches+"/uv "+caches+"/tmp\n") {
				t.Errorf("the program uses other caches:\n%s", text)
			}
			if !strings.Contains(string(text), "helping>=1\n") {
				t.Errorf("the program did not get the requirements:\n%s", text)
			}
		})
	}
}
