package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// DefaultExtensionMemory is the default memory limit of a Python extension, in bytes. A Python process reserves more memory than it
// uses, for the stacks of its threads and for libraries.
const DefaultExtensionMemory = 1 << 30

// NewExtension returns the Python extension at dir, which is a file or a directory. An extension needs no manifest. If its
// directory has one, the manifest applies as it does to a plugin.
func NewExtension(root, dir string, origin *Origin) Plugin {
	p := Plugin{
		Name: strings.TrimSuffix(filepath.Base(dir), ".py"), Dir: dir, Target: target(dir), Root: root, Origin: origin, Runtime: RuntimePython,
		Manifest: Manifest{OnFailure: FailOpen, Limits: Limits{Memory: DefaultExtensionMemory}},
	}

	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		p.Manifest, p.Err = extensionManifest(filepath.Join(dir, FileName), p.Manifest)
	}

	if p.Err == nil && p.Manifest.Name != "" {
		p.Name = p.Manifest.Name
	}

	if err := CheckName(p.Name); err != nil && p.Err == nil {
		p.Err = fmt.Errorf("%s: %w; rename it", dir, err)
	}

	return p
}

// extensionManifest reads a manifest that need not exist.
func extensionManifest(file string, defaults Manifest) (Manifest, error) {
	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return defaults, nil
	}

	if err != nil {
		return defaults, fmt.Errorf("reading the manifest: %w", err)
	}

	return parse(file, data, defaults.Limits.Memory)
}

// StartupErrors returns the faults of the plugins of one tier of a home that must keep aura from starting: two plugins
// of one name. It sorts the plugins by name.
func StartupErrors(found []Plugin) error {
	sortByName(found)

	return startupErrors(found)
}

// RefuseDuplicates refuses plugins of one tier of a home that have the same name, for a caller that does not start a session. It sorts the
// plugins by name.
func RefuseDuplicates(found []Plugin) {
	sortByName(found)

	for i := range found {
		if i == 0 || found[i-1].Name != found[i].Name {
			continue
		}

		refused := &RefusedError{Err: &DuplicateError{Name: found[i].Name, Dirs: [2]string{found[i-1].Dir, found[i].Dir}}}
		found[i-1].Err = cmp.Or(found[i-1].Err, error(refused))
		found[i].Err = cmp.Or(found[i].Err, error(refused))
	}
}
