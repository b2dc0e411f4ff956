package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/base/files"
)

// The limits of imports in files of instructions.
const (
	maxImportDepth = 5
	maxImports     = 50
)

// importable lists the files that may be imported. A project writes its own instructions, and must not put a file of secrets into prompts.
var importable = []string{".md", ".mdc", ".txt"}

// code matches what Markdown shows as code, where an @ imports nothing.
var code = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```.*?(```|$)|`[^`\n]*`") })

// importer adds the files that a file of instructions imports with @path. They are located below one folder, and no link leads out of it.
type importer struct {
	top  string
	root *os.Root
	// userHome is what ~ stands for.
	userHome string
	// add adds a file, and reports whether it is new and can be used.
	add func(path, text string, err error) bool
	// left is how many more files may be imported.
	left int
}

// follow adds what a file imports, and what that imports. depth is how many imports led to the file.
func (i *importer) follow(path, text string, depth int) {
	_, mentions := prompt.Mentions(code().ReplaceAllString(text, ""))
	for _, m := range mentions {
		name, ok := i.find(filepath.Dir(path), m.Paths)
		if !ok {
			continue
		}
		target := filepath.Join(i.top, name)
		switch content, err := i.read(name); {
		case depth >= maxImportDepth:
			i.add(target, "", fmt.Errorf("%s imports it, and imports lead at most %d files deep", path, maxImportDepth))
		case i.left == 0:
			i.add(target, "", fmt.Errorf("%s imports it, and at most %d files are imported", path, maxImports))
			return
		case err != nil:
			i.add(target, "", fmt.Errorf("%s imports it: %w", path, err))
		default:
			i.left--
			if i.add(target, content, nil) {
				i.follow(target, content, depth+1)
			}
		}
	}
}

// find returns the file that a mention names, relative to the folder. A mention that names no file of instructions remains text.
func (i *importer) find(dir string, paths []string) (name string, ok bool) {
	for _, path := range paths {
		if !slices.Contains(importable, strings.ToLower(filepath.Ext(path))) {
			continue
		}
		if rest, ok := strings.CutPrefix(path, "~/"); ok && i.userHome != "" {
			path = filepath.Join(i.userHome, rest)
		}
		path = absolute(dir, path)
		name, err := filepath.Rel(i.top, path)
		if err != nil {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			return name, true
		}
	}
	return "", false
}

// read reads a file of the folder.
func (i *importer) read(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("it is not in %s", i.top)
	}
	if info, err := i.root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", errors.New("it is a link, and links are not followed")
	}
	text, err := files.ReadBelow(i.root, name, files.MaxText)
	return string(text), err
}
