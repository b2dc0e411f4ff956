package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// OriginFile is the name of the file that records the origin of a plugin or pack that was installed from elsewhere.
const OriginFile = ".origin.yaml"

// Origin records the source from which a plugin, or the pack that contains it, was installed.
type Origin struct {
	URL    string `json:"url"              yaml:"url"`
	Ref    string `json:"ref,omitempty"    yaml:"ref,omitempty"`
	Commit string `json:"commit,omitempty" yaml:"commit,omitempty"`
	// Subpath is the slash-separated directory within the source in which plugins are searched.
	Subpath string `json:"subpath,omitempty" yaml:"subpath,omitempty"`
	// Subpaths replaces Subpath if there are several directories.
	Subpaths []string `json:"subpaths,omitempty" yaml:"subpaths,omitempty,flow"`
	// Marketplace is the source whose list of plugins names the URL, MarketplaceRef its branch, tag or commit, and Plugin the plugin's name in
	// the list. They are empty for a source that the user named.
	Marketplace    string `json:"marketplace,omitempty"     yaml:"marketplace,omitempty"`
	MarketplaceRef string `json:"marketplace_ref,omitempty" yaml:"marketplace_ref,omitempty"`
	Plugin         string `json:"plugin,omitempty"          yaml:"plugin,omitempty"`
	// Name is the name that the user chose for the plugin. It takes precedence over the name in the manifest. It has no meaning
	// for a pack.
	Name        string    `json:"name,omitempty"        yaml:"name,omitempty"`
	InstalledAt time.Time `json:"installed_at,omitzero" yaml:"installed_at,omitempty"`
}

// Roots returns the directories in which plugins are searched, slash-separated and relative to the directory of the origin.
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

// remote returns the origin if plugins can be updated from it, and nil otherwise. An origin without a URL only sets a name.
func (o *Origin) remote() *Origin {
	if o == nil || o.URL == "" {
		return nil
	}

	return o
}

// WriteOrigin writes an origin to a directory, where Discover finds it.
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

// originDocument accepts keys that a later version may have written.
type originDocument struct {
	Origin `yaml:",inline"`

	Rest map[string]any `yaml:",inline"`
}

// ReadOrigin returns the origin stored in the directory itself, or nil.
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

// readFile reads a regular file that is not larger than a decoder accepts.
func readFile(file string) ([]byte, error) {
	text, err := files.Read(file, strictyaml.MaxSize)

	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}
