package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/internal/strict"
)

// OriginFile is the sidecar file of what was installed from elsewhere.
const OriginFile = ".origin.yaml"

// Origin tells where a plugin, or the pack it belongs to, was installed from.
type Origin struct {
	URL    string `json:"url"              yaml:"url"`
	Ref    string `json:"ref,omitempty"    yaml:"ref,omitempty"`
	Commit string `json:"commit,omitempty" yaml:"commit,omitempty"`
	// Subpath is the slash-separated directory within the source that plugins are looked for in.
	Subpath     string    `json:"subpath,omitempty"     yaml:"subpath,omitempty"`
	InstalledAt time.Time `json:"installed_at,omitzero" yaml:"installed_at,omitempty"`
}

// originDocument tolerates keys that a later version may have written.
type originDocument struct {
	Origin `yaml:",inline"`

	Rest map[string]any `yaml:",inline"`
}

// readOrigin returns the origin that a directory itself holds, or nil.
func readOrigin(dir string) (*Origin, error) {
	file := filepath.Join(dir, OriginFile)

	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, fmt.Errorf("reading the plugin's origin: %w", err)
	}

	var d originDocument
	if err := strict.Decode(file, data, &d); err != nil {
		return nil, fmt.Errorf("%w; install the plugin again or remove this file", err)
	}

	if d.Subpath != "" && !filepath.IsLocal(filepath.FromSlash(d.Subpath)) {
		return nil, fmt.Errorf("%s: subpath %q leads out of the plugin's directory", file, d.Subpath)
	}

	return &d.Origin, nil
}

// readFile reads a regular file of a size that a decoder would accept, or a little more, so that it can refuse it.
func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}

	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file)
	}

	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}

	defer func() { _ = f.Close() }()

	return io.ReadAll(io.LimitReader(f, strict.MaxSize+1))
}
