package pluginsource

import (
	"go/parser"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
)

// Imports returns the packages that the files below dir import, sorted and without duplicates. Vendored packages are included.
// Only files whose text mayImport accepts are parsed. A file that cannot be read or parsed is skipped, because it cannot be
// loaded either.
func Imports(dir string, mayImport func(text []byte) bool) []string {
	var out []string
	_ = EachFile(dir, func(string) bool { return true }, func(rel string, _ fs.FileMode) error {
		if !IsSource(rel) {
			return nil
		}
		f, ok := parse(filepath.Join(dir, filepath.FromSlash(rel)), parser.ImportsOnly, mayImport)
		if !ok || f.err != nil {
			return nil //nolint:nilerr // see above
		}
		for _, spec := range f.tree.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				out = append(out, path)
			}
		}
		return nil
	})
	slices.Sort(out)
	return slices.Compact(out)
}
