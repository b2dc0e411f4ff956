package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/strictyaml"
)

// maxDepth bounds folders within folders, and thereby links that lead in circles.
const maxDepth = 20

var (
	yamlFiles     = []string{".yaml", ".yml"}
	markdownFiles = []string{".md"}
)

// loader is what reading needs: where to look and what variables stand for.
type loader struct {
	places

	env environment
	// inherited is the process's variables alone.
	inherited []string
	// text is Options.Text.
	text bool
	// seen and references are filled while reading.
	seen       origins
	references []Reference
}

// kind is a sort of entity: what it is called, where its files lie, and what one of them holds.
type kind[T any] struct {
	name string
	// folder is below the home.
	folder string
	ext    []string
	// skip says which files hold something else; nil skips none.
	skip func(Source) bool
	read func(document) ([]entity[T], error)
}

// entity is one thing that a file declares, and on which line.
type entity[T any] struct {
	name  string
	line  int
	value T
}

// loadKind reads all entities of a kind. Of two with the same name the one in the later home wins; two in one home are an
// error. A file at fault does not keep the others from being read, so that all faults are known at once.
func loadKind[T any](l *loader, k kind[T]) (map[string]T, error) {
	merged := map[string]T{}
	var faults []error
	for _, home := range l.homes {
		sources, err := home.sources(k.folder, k.ext)
		if err != nil {
			return nil, err
		}
		files := map[string]string{}
		for _, s := range sources {
			if k.skip != nil && k.skip(s) {
				continue
			}
			entities, err := readFile(s, k)
			faults = append(faults, err)
			for _, e := range entities {
				if earlier, ok := files[e.name]; ok {
					faults = append(faults, &strictyaml.Error{File: s.File, Line: e.line, Err: fmt.Errorf(
						"%s %q is declared in %s already: remove or rename one of them", k.name, e.name, earlier)})
				}
				files[e.name] = s.File
				l.seen.note(k.name, e.name, Place{Source: s, Line: e.line})
				merged[e.name] = e.value
			}
		}
	}
	return merged, errors.Join(faults...)
}

func readFile[T any](s Source, k kind[T]) ([]entity[T], error) {
	d, err := s.open()
	if err != nil {
		return nil, err
	}
	return k.read(d)
}

// readMap reads a YAML file that maps names to entities. Finish makes an entity of what the file has for it, and checks it.
// In the values of the keys that are verbatim no variables are expanded.
func readMap[F, T any](
	l *loader, finish func(d document, name string, value F) (T, error), verbatim ...string,
) func(document) ([]entity[T], error) {
	return func(d document) ([]entity[T], error) {
		if err := l.expandEntities(d, verbatim...); err != nil {
			return nil, err
		}
		values := map[string]F{}
		if err := strictyaml.DecodeNode(d.File, d.root, &values); err != nil {
			return nil, err
		}
		var entities []entity[T]
		for _, name := range slices.Sorted(maps.Keys(values)) {
			value, err := finish(d, name, values[name])
			if err == nil && strings.TrimSpace(name) == "" {
				err = d.fault([]string{name}, "a name is missing")
			}
			if err != nil {
				return nil, err
			}
			entities = append(entities, entity[T]{name: name, line: d.find(name).Line, value: value})
		}
		return entities, nil
	}
}

// sources lists the files of a folder below the home, those in folders below included, in the order of their names.
// Examples and hidden files are not among them. A folder that does not exist has none.
func (h Home) sources(folder string, ext []string) ([]Source, error) {
	paths, err := list(filepath.Join(h.Dir, folder), ext, 0)
	if err != nil {
		return nil, err
	}
	var out []Source
	for _, path := range paths {
		out = append(out, Source{File: path, Home: h})
	}
	return out, nil
}

// list follows links, since configuration is often kept elsewhere and linked to.
func list(dir string, ext []string, depth int) ([]string, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("reading %s: more than %d folders deep: does a link lead in a circle?", dir, maxDepth)
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && depth == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case isDir(path, entry):
			below, err := list(path, ext, depth+1)
			if err != nil {
				return nil, err
			}
			paths = append(paths, below...)
		case slices.Contains(ext, filepath.Ext(path)) && !isExample(entry.Name()):
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func isExample(name string) bool {
	example, err := filepath.Match("*.example.*", name)
	return err == nil && example
}

func isDir(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
