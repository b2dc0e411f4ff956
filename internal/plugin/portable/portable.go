// Package portable reads plugins in the format of the Agent Plugins specification, version 1.0.0: plugin.json, skills/ and mcp.json. It
// runs nothing. A fault disables as little as the specification says: the plugin, a kind of component, or one component.
package portable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
)

// The fixed names in a package.
const (
	FileName  = "plugin.json"
	MCPFile   = "mcp.json"
	SkillsDir = "skills"
	// SkillFile is the main file of a skill.
	SkillFile = "SKILL.md"
	// Namespace is the name of the directory with what only aura reads: plugins/, extensions/, config/hooks/, commands/ and agents/, as in
	// a home.
	Namespace = "io.github.idelchi.aura"
)

// maxFile is the largest manifest and the largest mcp.json, in bytes.
const maxFile = 1 << 20

// Package is a portable plugin whose manifest is valid.
type Package struct {
	// Root is the directory of the package without links.
	Root string
	Manifest
	// Notes are faults of the manifest that the specification ignores.
	Notes []string
}

// Fault is a fault that disables a part of a package.
type Fault struct {
	// Part is what is disabled, such as "skill review" or "MCP".
	Part string
	Err  error
}

// String renders the fault for a notice.
func (f Fault) String() string { return fmt.Sprintf("%s is left out: %v", f.Part, f.Err) }

// Is reports whether a directory is a portable plugin, valid or not.
func Is(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, FileName))
	return err == nil && !info.IsDir()
}

// Open reads the manifest of a package. After an error no part of the package may be used.
func Open(dir string) (Package, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Package{}, fmt.Errorf("reading the package: %w", err)
	}
	p := Package{Root: root}
	text, err := p.read(FileName, maxFile)
	if err == nil {
		p.Manifest, p.Notes, err = parseManifest(text)
	}
	if err != nil {
		return Package{}, fmt.Errorf("reading %s: %w", filepath.Join(dir, FileName), err)
	}
	return p, nil
}

// errOutside reports a path that leads out of a package.
var errOutside = errors.New("it leads out of the plugin's directory")

// resolve returns a path of the package without links, relative to the root. It returns fs.ErrNotExist only if nothing is there, not even a
// link.
func (p Package) resolve(name string) (string, error) {
	path := filepath.Join(p.Root, filepath.FromSlash(name))
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return within(p.Root, path)
}

// within resolves the links of a path and returns it relative to a directory without links. It is an error if the path leads out of it.
func within(dir, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is a link that leads nowhere", path)
	}
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return rel, nil
}

// read reads a regular file of the package. Links within the package are followed.
func (p Package) read(name string, limit int64) ([]byte, error) {
	rel, err := p.resolve(name)
	if err != nil {
		return nil, err
	}
	root, err := files.OpenRoot(p.Root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	// rel has no links. If one is put there now, nothing outside of the package is read either.
	return files.ReadBelow(root, rel, limit)
}

// Folder returns a folder of aura's own part, without links. It is empty if there is none.
func (p Package) Folder(name string) (string, error) {
	rel, err := p.resolve(filepath.Join(Namespace, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.Root, rel)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", errors.Join(err, errors.New("it is not a directory"))
	}
	return dir, nil
}

// Contains returns an error if a path leads out of the package in a directory.
func Contains(dir, path string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		_, err = within(root, path)
	}
	return err
}

// Expand replaces the two placeholders in a text, once and not in what it inserted.
func Expand(text, root, data string) string {
	return strings.NewReplacer("${"+RootVariable+"}", root, "${"+DataVariable+"}", data).Replace(text)
}
