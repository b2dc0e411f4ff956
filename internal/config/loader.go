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

// maxDepth limits the nesting of folders, and thereby cycles of links.
const maxDepth = 20

var (
	yamlFiles     = []string{".yaml", ".yml"}
	markdownFiles = []string{".md"}
)

// loader holds what is needed to read the configuration: the directories and the values of variables.
type loader struct {
	places

	env environment
	// inherited holds only the variables of the process.
	inherited []string
	// text is Options.Text.
	text bool
	// seen and references are filled during reading.
	seen       origins
	references []Reference
}

// kind describes a kind of entity: its name, the location of its files, and how a file is read.
type kind[T any] struct {
	name string
	// folder is relative to the home.
	folder string
	ext    []string
	// skip reports whether a file contains something else. If skip is nil, no file is skipped.
	skip func(Source) bool
	read func(document) ([]entity[T], error)
}

// entity is one declaration in a file, with its line.
type entity[T any] struct {
	name  string
	line  int
	value T
}

// loadKind reads all entities of a kind. If two homes declare the same name, the later home takes precedence. Two declarations in
// one home are an error. A faulty file does not prevent the others from being read, so that all faults are reported at once.
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

// readMap reads a YAML file that maps names to entities. finish converts the decoded value to an entity, and checks it. Variables
// are not expanded in the values of the verbatim keys.
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

// sources returns the files of a folder below the home and of its subfolders, in the order of their names. It skips examples and
// hidden files. A folder that does not exist has no files.
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

// list follows links, because configuration is often kept elsewhere and linked.
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
