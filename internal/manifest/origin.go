package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/strictyaml"
)

// OriginFile is the sidecar file of what was installed from elsewhere.
const OriginFile = ".origin.yaml"

// Origin says where a plugin, or the pack it belongs to, was installed from.
type Origin struct {
	URL    string `json:"url"              yaml:"url"`
	Ref    string `json:"ref,omitempty"    yaml:"ref,omitempty"`
	Commit string `json:"commit,omitempty" yaml:"commit,omitempty"`
	// Subpath is the slash-separated directory within the source that plugins are looked for in.
	Subpath string `json:"subpath,omitempty" yaml:"subpath,omitempty"`
	// Subpaths stands instead of Subpath where there are several.
	Subpaths []string `json:"subpaths,omitempty" yaml:"subpaths,omitempty,flow"`
	// Name is what the user chose to call the plugin. It goes before the name in the manifest, and means nothing to a pack.
	Name        string    `json:"name,omitempty"        yaml:"name,omitempty"`
	InstalledAt time.Time `json:"installed_at,omitzero" yaml:"installed_at,omitempty"`
}

// Roots are the slash-separated directories, relative to that of the origin, in which plugins are looked for.
func (o *Origin) Roots() []string {
	switch {
	case len(o.Subpaths) > 0:
		return o.Subpaths
	case o.Subpath != "":
		return []string{o.Subpath}
	default:
		return []string{"."}
	}
}

// remote reports whether the origin is a place that plugins can be updated from. One without a URL only gives a name.
func (o *Origin) remote() *Origin {
	if o == nil || o.URL == "" {
		return nil
	}

	return o
}

// WriteOrigin puts an origin into a directory, to be found by Discover.
func WriteOrigin(dir string, o Origin) error {
	text, err := yaml.Marshal(o)
	if err != nil {
		return fmt.Errorf("writing the plugin's origin: %w", err)
	}

	if err := files.Replace(filepath.Join(dir, OriginFile), text, 0o644); err != nil {
		return fmt.Errorf("writing the plugin's origin: %w", err)
	}

	return nil
}

// originDocument tolerates keys that a later version may have written.
type originDocument struct {
	Origin `yaml:",inline"`

	Rest map[string]any `yaml:",inline"`
}

// ReadOrigin returns the origin that a directory itself holds, or nil.
func ReadOrigin(dir string) (*Origin, error) {
	file := filepath.Join(dir, OriginFile)

	data, err := readFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}

	if err != nil {
		return nil, fmt.Errorf("reading the plugin's origin: %w", err)
	}

	var d originDocument
	if err := strictyaml.Decode(file, data, &d); err != nil {
		return nil, fmt.Errorf("%w; install the plugin again or remove this file", err)
	}

	for _, sub := range d.Roots() {
		if !filepath.IsLocal(filepath.FromSlash(sub)) {
			return nil, fmt.Errorf("%s: subpath %q leads out of the plugin's directory", file, sub)
		}
	}

	if d.Name != "" {
		if err := CheckName(d.Name); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}

	return &d.Origin, nil
}

// readFile reads a regular file of a size that a decoder accepts.
func readFile(file string) ([]byte, error) { return files.Read(file, strictyaml.MaxSize) }
