package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk/version"
)

// SDKSource returns the source of the SDK's module: slash-separated paths to contents.
func SDKSource() map[string]string { return maps.Clone(sdkSource) }

// goVersion is the version of Go in the go.mod of a plugin that has none.
const goVersion = "1.25"

// VendorSDK puts the SDK's source into the vendor directory of the plugin in dir, where the Go command and editors find it without a
// network, and makes go.mod require the SDK. It needs the Go toolchain only if the plugin imports other modules that are not vendored.
func VendorSDK(ctx context.Context, dir string, o Options) error {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("vendoring the SDK: %w", err)
	}
	defer func() { _ = root.Close() }()
	others, err := requireSDK(root, filepath.Base(dir))
	if err != nil {
		return fmt.Errorf("vendoring the SDK: %w", err)
	}
	modules, err := readIn(root, path.Join(vendorDir, "modules.txt"))
	if err != nil {
		return fmt.Errorf("vendoring the SDK: %w", err)
	}
	for _, name := range others {
		if !strings.Contains("\n"+string(modules), "\n# "+name+" ") {
			return vendorAll(ctx, dir, o)
		}
	}
	if err := writeSDK(root, modules); err != nil {
		return fmt.Errorf("vendoring the SDK: %w", err)
	}
	return nil
}

// vendorAll vendors the SDK and all other imports with the Go command.
func vendorAll(ctx context.Context, dir string, o Options) (err error) {
	v, remove, err := newVendoring(o, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	return v.plugin(ctx, dir)
}

// requireSDK makes go.mod require the SDK, and returns the other modules that it requires.
func requireSDK(root *os.Root, name string) (others []string, err error) {
	text, err := readIn(root, "go.mod")
	if err != nil {
		return nil, err
	}
	if text == nil {
		text = []byte("module " + name + "\n\ngo " + goVersion + "\n")
	}
	f, err := modfile.Parse("go.mod", bytes.TrimPrefix(text, []byte("\ufeff")), nil)
	if err != nil {
		return nil, err
	}
	for _, r := range f.Require {
		if r.Mod.Path != sdkPath {
			others = append(others, r.Mod.Path)
		}
	}
	for _, r := range slices.Clone(f.Replace) {
		if r.Old.Path == sdkPath {
			if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	if err := f.AddRequire(sdkPath, "v"+version.Version); err != nil {
		return nil, err
	}
	f.Cleanup()
	changed, err := f.Format()
	if err != nil || bytes.Equal(changed, text) {
		return others, err
	}
	return others, files.SaveBelow(root.Name(), "go.mod", changed, 0o644)
}

// writeSDK replaces the vendored SDK. modules is the content of modules.txt.
func writeSDK(root *os.Root, modules []byte) error {
	place := path.Join(vendorDir, sdkPath)
	if err := root.RemoveAll(place); err != nil {
		return err
	}
	for name, text := range sdkSource {
		if name == "go.mod" {
			continue
		}
		file := path.Join(place, name)
		if err := errors.Join(root.MkdirAll(path.Dir(file), 0o755), root.WriteFile(file, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return files.SaveBelow(root.Name(), path.Join(vendorDir, "modules.txt"), withSDK(modules), 0o644)
}

// withSDK returns a modules.txt with the section of the SDK.
func withSDK(modules []byte) []byte {
	section := "# " + sdkPath + " v" + version.Version + "\n## explicit; go " + goVersion + "\n"
	for _, name := range slices.Sorted(maps.Keys(sdkSource)) {
		if in := path.Join(sdkPath, path.Dir(name)); strings.HasSuffix(name, ".go") && !strings.Contains(section, "\n"+in+"\n") {
			section += in + "\n"
		}
	}
	var sections []string
	for line := range strings.Lines(string(modules)) {
		if strings.HasPrefix(line, "# ") || len(sections) == 0 {
			sections = append(sections, "")
		}
		sections[len(sections)-1] += line
	}
	sections = slices.DeleteFunc(sections, func(s string) bool { return strings.HasPrefix(s, "# "+sdkPath+" ") })
	sections = append(sections, section)
	slices.Sort(sections)
	return []byte(strings.Join(sections, ""))
}

// readIn returns the content of a file, or nil if there is none.
func readIn(root *os.Root, name string) ([]byte, error) {
	text, err := files.ReadBelow(root, name, files.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}
