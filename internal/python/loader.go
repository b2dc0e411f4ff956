package python

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/manifest"
)

// LibraryDir is the directory of an installed extension that holds the packages it depends on.
const LibraryDir = ".python"

// File returns the file or package that the interpreter runs for an extension. For an extension that metadata declares, File
// writes a module to the directory cache that imports the declared function as register.
func File(p manifest.Plugin, cache string) (string, error) {
	if p.Entry == "" {
		return p.Dir, nil
	}
	module, function, err := split(p.Entry)
	if err != nil {
		return "", err
	}
	text, err := loader(module, function, sources(p))
	if err != nil {
		return "", fmt.Errorf("preparing the extension: %w", err)
	}
	sum := sha256.Sum256(text)
	path := filepath.Join(cache, "extensions", hex.EncodeToString(sum[:8])+".py")
	if found, err := files.ReadNoFollow(path, int64(len(text))); err == nil && bytes.Equal(found, text) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("preparing the extension: %w", err)
	}
	if err := files.Replace(path, text, 0o600); err != nil {
		return "", fmt.Errorf("preparing the extension: %w", err)
	}
	return path, nil
}

// sources returns the directories from which the modules of a declared extension are imported, in addition to the interpreter's
// own. An installed package needs none. Other extensions have the layout of a project: modules in the directory or in src.
func sources(p manifest.Plugin) []string {
	if !exists(filepath.Join(p.Dir, projectFile)) {
		return nil
	}
	var out []string
	for _, name := range []string{".", "src", LibraryDir} {
		dir := filepath.Join(p.Dir, name)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			out = append(out, dir)
		}
	}
	return out
}

// loader returns the text of a module that imports a function as register. JSON of lists of text is also Python.
func loader(module, function string, paths []string) ([]byte, error) {
	list, err := json.Marshal(append([]string{}, paths...))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import importlib, operator, sys\n\nsys.path[1:1] = %s\n", list)
	fmt.Fprintf(&b, "register = operator.attrgetter(%q)(importlib.import_module(%q))\n", function, module)
	return []byte(b.String()), nil
}
