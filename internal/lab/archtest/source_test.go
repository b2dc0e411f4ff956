package archtest_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// source holds what the rules need to know about one Go file.
type source struct {
	// file and dir are slash-separated and relative to the root of the repository.
	file, dir string
	imports   []string
	documents bool
	test      bool
}

// sources reads the imports of every Go file below root, regardless of build tags. It reads the files instead of running `go
// list`, so that no platform and no cached result hides a file.
func sources(root fs.FS) ([]source, error) {
	var found []source
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped(name):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		src, err := parse(root, name)
		found = append(found, src)
		return err
	})
	return found, err
}

// skipped reports whether a directory holds no packages of ours: the code of a plugin is not part of the repository's
// layering.
func skipped(dir string) bool {
	base := path.Base(dir)
	return dir != "." && (base[0] == '.' || base[0] == '_' || base == "testdata" || base == "vendor" || dir == "bin" ||
		dir == "examples")
}

func parse(root fs.FS, name string) (source, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return source{}, fmt.Errorf("reading imports: %w", err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return source{}, fmt.Errorf("reading imports: %w", err)
	}
	src := source{
		file: name, dir: path.Dir(name),
		documents: strings.TrimSpace(parsed.Doc.Text()) != "",
		test:      strings.HasSuffix(name, "_test.go"),
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, fmt.Errorf("reading imports of %s: %w", name, err)
		}
		src.imports = append(src.imports, imported)
	}
	return src, nil
}
