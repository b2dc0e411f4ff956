// Package aar provides what extensions written for Aar need: the Python modules that they import, and the program that runs them.
package aar

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
)

//go:embed all:shim
var embedded embed.FS

// maxModule is the largest module that is compared with the embedded one, in bytes.
const maxModule = 1 << 20

// PythonPath writes the modules into a separate directory below dir and returns that directory, for use in PYTHONPATH. A
// module that already exists is rewritten only if its content differs. Versions of aura with other modules use another
// directory.
func PythonPath(dir string) (string, error) {
	modules, version, err := load()
	if err != nil {
		return "", err
	}
	root := filepath.Join(dir, "python-"+version)
	for name, text := range modules {
		path := filepath.Join(root, filepath.FromSlash(name))
		if found, err := files.ReadNoFollow(path, maxModule); err == nil && bytes.Equal(found, text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", fmt.Errorf("writing the Python modules: %w", err)
		}
		if err := files.Replace(path, text, 0o644); err != nil {
			return "", fmt.Errorf("writing the Python modules: %w", err)
		}
	}
	return root, nil
}

// load returns the modules by path, and a short hash of all of them.
func load() (map[string][]byte, string, error) {
	modules, err := fs.Sub(embedded, "shim")
	if err != nil {
		return nil, "", err
	}
	out, sum := map[string][]byte{}, sha256.New()
	err = fs.WalkDir(modules, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".py" {
			return err
		}
		text, err := fs.ReadFile(modules, name)
		out[name] = text
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(text), text)
		return err
	})
	return out, hex.EncodeToString(sum.Sum(nil)[:6]), err
}

// Args returns the arguments with which a Python interpreter runs an extension as the guest of aura-plugin-host. root is the result of
// PythonPath. target is the absolute path of a file or of a package's directory, or an entry point as module:function. paths are
// directories with further modules.
func Args(root, target string, paths ...string) []string {
	// Isolated, with output that is not buffered, without writing bytecode, and with UTF-8 whatever the locale is.
	args := []string{"-I", "-u", "-B", "-X", "utf8", filepath.Join(root, "run_extension.py")}
	for _, path := range paths {
		args = append(args, "--path", path)
	}
	return append(args, target)
}
