package native

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/golang/loader"
)

// Source is the source of a plugin as it was read. Nothing else is compiled.
type Source struct{ *loader.Source }

// Target returns what a source is loaded for that the toolchain compiles. An empty toolchain stands for the oldest one.
func (t Toolchain) Target(unsafe bool) loader.Target {
	return loader.Target{Unsafe: unsafe, Compiled: true, Root: t.Root, Minor: max(t.Minor, minMinor)}
}

// Read reads the plugin in a directory with all packages that it imports, and performs all checks that do not run code.
func Read(dir string, t Toolchain, unsafe bool) (*Source, error) {
	s, err := loader.Read(dir, t.Target(unsafe))
	if err != nil {
		return nil, err
	}
	return &Source{s}, nil
}

// offset returns the place of a position in the text of its file, in bytes.
func (s *Source) offset(f *loader.File, pos token.Pos) int {
	return s.Fset.File(f.Tree.Pos()).Offset(pos)
}

// hash returns a hash of all files that were read.
func (s *Source) hash() string {
	h := sha256.New()
	for _, p := range s.Packages {
		for _, f := range p.Files {
			name, _ := filepath.Rel(s.Dir, f.Path) // both are absolute
			// Encoding keeps the parts of neighbouring entries apart.
			_ = json.NewEncoder(h).Encode([]any{p.Path, filepath.ToSlash(name), f.Text})
		}
		for _, name := range slices.Sorted(maps.Keys(p.Embedded)) {
			for _, file := range p.Embedded[name] {
				_ = json.NewEncoder(h).Encode([]any{name, file.Name, []byte(file.Text)})
			}
		}
	}
	_ = json.NewEncoder(h).Encode([]any{s.Module, s.Unsafe})
	return hex.EncodeToString(h.Sum(nil))
}

// originals returns the path of each file that was read, by the path of its copy in the tree of the program.
func (s *Source) originals() map[string]string {
	out := map[string]string{}
	for _, pkg := range s.Packages {
		for _, f := range pkg.Files {
			out[path.Join("vendor", pkg.Path, filepath.Base(f.Path))] = f.Path
		}
	}
	return out
}
