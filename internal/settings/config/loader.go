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

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// maxDepth limits the nesting of folders.
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
	// userHome is Options.UserHome.
	userHome string
	// foreign holds the directories of other agents that may contain skills, lowest precedence first.
	foreign []Home
	// withoutPackages is Options.WithoutPackages.
	withoutPackages bool
	// leavesOut is Options.LeaveOut.
	leavesOut bool
	// packages holds the portable plugins in use, by name.
	packages map[string]Package
	// packageNotes holds the faults of packages, by the names of the packages.
	packageNotes map[string][]string
	// The following are filled during reading.
	seen       origins
	references []Reference
	notices    []string
	leftOut    []LeftOut
	faults     []FaultError
	// defaultFault is the first fault of a file that may declare the default agent.
	defaultFault error
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
	// builtin holds the files that the program brings along, below those of all homes.
	builtin []embedded
}

// embedded is a file that the program brings along.
type embedded struct {
	name string
	text []byte
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
	if err := loadBuiltin(l, k, merged); err != nil {
		return nil, err
	}
	var faults []error
	for _, home := range l.homes {
		found, err := loadHome(l, k, home, merged)
		if err != nil {
			return nil, err
		}
		faults = append(faults, found...)
	}
	addPackaged(l, k, merged)
	return merged, errors.Join(faults...)
}

// loadBuiltin adds the entities that the program brings along.
func loadBuiltin[T any](l *loader, k kind[T], merged map[string]T) error {
	for _, file := range k.builtin {
		d, err := Source{File: file.name, Home: Home{Kind: HomeBuiltin}}.parse(file.text)
		if err != nil {
			return err
		}
		d.File = string(HomeBuiltin)
		entities, err := k.read(d)
		if err != nil {
			return err
		}
		for _, e := range entities {
			l.seen.addPlace(k.name, e.name, Place{Source: d.Source, Line: e.line})
			merged[e.name] = e.value
		}
	}
	return nil
}

// loadHome adds the entities of one home. It returns the faults of the files, and an error if the home cannot be read.
func loadHome[T any](l *loader, k kind[T], home Home, merged map[string]T) (faults []error, err error) {
	sources, err := home.sources(k.folder, k.ext)
	if err != nil {
		return nil, l.faulty(k.name, Source{File: filepath.Join(home.Dir, k.folder), Home: home}, err)
	}
	files := map[string]string{}
	for _, s := range sources {
		if k.skip != nil && k.skip(s) {
			continue
		}
		entities, err := readFile(s, k)
		if err != nil {
			hide(s, merged)
			faults = append(faults, l.faulty(k.name, s, err))
		}
		for _, e := range entities {
			if earlier, ok := files[e.name]; ok {
				faults = append(faults, l.faulty(k.name, s, &strictyaml.Error{File: s.File, Line: e.line, Err: fmt.Errorf(
					"%s %q is declared in %s already: remove or rename one of them", k.name, e.name, earlier)}))
			}
			files[e.name] = s.File
			l.seen.addPlace(k.name, e.name, Place{Source: s, Line: e.line})
			merged[e.name] = e.value
		}
	}
	return faults, nil
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
		return finishAll(d, values, finish)
	}
}

// finishAll converts decoded values to entities, in the order of their names.
func finishAll[F, T any](d document, values map[string]F, finish func(d document, name string, value F) (T, error)) ([]entity[T], error) {
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

// sources returns the files of a folder below the home and of its subfolders, in the order of their names. It skips examples and
// hidden files. A folder that does not exist has no files.
func (h Home) sources(folder string, ext []string) ([]Source, error) {
	paths, err := list(filepath.Join(h.Dir, folder), ext)
	if err != nil {
		return nil, err
	}
	var out []Source
	for _, path := range paths {
		out = append(out, Source{File: path, Home: h})
	}
	return out, nil
}

// lister collects the files of a folder and of its subfolders. It follows links, because configuration is often kept elsewhere and
// linked. It reads a folder once, however many links lead to it, so that few links cannot stand for very many folders.
type lister struct {
	// folder is the folder at which the search began, for messages.
	folder string
	ext    []string
	// visited holds the folders that were read, by their real paths.
	visited map[string]bool
	// entries counts the entries of all folders.
	entries int
	paths   []string
}

// list returns the files of a folder with one of the extensions. A folder that does not exist has no files.
func list(dir string, ext []string) ([]string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading configuration in %s: %w", dir, err)
	}
	l := lister{folder: dir, ext: ext, visited: map[string]bool{}}
	err = l.read(dir, []string{real})
	return l.paths, err
}

// read reads a folder. way holds the real paths of the folders that lead to it, its own included.
func (l *lister) read(dir string, way []string) error {
	if len(way)-1 > maxDepth {
		return fmt.Errorf("reading %s: more than %d folders deep", dir, maxDepth)
	}
	real := way[len(way)-1]
	if l.visited[real] {
		return nil
	}
	l.visited[real] = true
	entries, err := l.entriesOf(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case isDir(path, entry):
			below := filepath.Join(real, entry.Name())
			if entry.Type()&fs.ModeSymlink != 0 {
				if below, err = filepath.EvalSymlinks(path); err != nil {
					return fmt.Errorf("reading configuration: %w", err)
				}
			}
			if slices.Contains(way, below) {
				return fmt.Errorf("reading %s: it contains itself: does a link lead in a circle?", path)
			}
			if err := l.read(path, append(slices.Clone(way), below)); err != nil {
				return err
			}
		case slices.Contains(l.ext, filepath.Ext(path)) && !isExample(entry.Name()):
			l.paths = append(l.paths, path)
		}
	}
	return nil
}

// entriesOf returns the entries of a folder, sorted by name.
func (l *lister) entriesOf(dir string) ([]fs.DirEntry, error) {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	defer func() { _ = root.Close() }()
	entries, err := files.ReadDirBelow(root, ".", limit.ConfigFiles-l.entries+1)
	if err != nil {
		return nil, fmt.Errorf("reading configuration: %w", err)
	}
	if l.entries += len(entries); l.entries > limit.ConfigFiles {
		return nil, fmt.Errorf("reading %s: it contains more than %d files and folders, links included: remove what is not configuration", l.folder, limit.ConfigFiles)
	}
	return entries, nil
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
