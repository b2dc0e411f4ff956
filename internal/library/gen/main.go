// Command gen writes the declarations of the standard library as the interpreter offers it, for a type checker that runs where
// Go is not installed. The names come from the interpreter's own tables. The types come from the Go release that runs this
// command, because the interpreter passes compiled values to plugins.
package main

import (
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const output = "stdlib.txt"

// module is the prefix of the SDK's import paths; its source is located at the root of the repository.
const (
	module = "github.com/idelchi/aura/"
	root   = "../../"
)

func main() {
	log.SetFlags(0)
	text, err := generate()
	if err == nil {
		err = os.WriteFile(output, text, 0o644) //nolint:gosec // part of the source
	}
	if err != nil {
		log.Fatalf("generating the standard library's declarations: %v", err)
	}
}

// generate returns the declarations of all packages, each after a line "# PATH", or "#- PATH" if it cannot be imported.
func generate() ([]byte, error) {
	tables, err := readTables()
	if err != nil {
		return nil, err
	}
	lookup, err := exports()
	if err != nil {
		return nil, err
	}
	w := newWriter(importer.ForCompiler(token.NewFileSet(), "gc", lookup))
	for _, dir := range []string{"sdk/version", "sdk"} {
		names, err := w.source(dir)
		if err != nil {
			return nil, err
		}
		tables[module+dir] = names
	}
	for _, path := range slices.Sorted(maps.Keys(tables)) {
		if err := w.add(path, tables[path]); err != nil {
			return nil, err
		}
	}
	return w.text(), nil
}

// exports returns a function that opens the compiler's export data of a package of the standard library. One go command lists
// all files. The importer's own lookup would start one for each package.
func exports() (importer.Lookup, error) {
	list, err := exec.Command("go", "list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}", "std").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the export data of the standard library: %w", err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(files[path]) }, nil
}

var (
	tableKey  = regexp.MustCompile(`^\tSymbols\["([^"]+)"\]`)
	tableName = regexp.MustCompile(`^\t\t"([A-Za-z]\w*)":`)
)

// readTables returns the names of each package in the interpreter's tables. It reads the tables as text; linking them would
// give the same names.
func readTables() (map[string][]string, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/traefik/yaegi").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the interpreter: %w", err)
	}
	stdlib := filepath.Join(strings.TrimSpace(string(dir)), "stdlib")
	files, err := filepath.Glob(filepath.Join(stdlib, "go1_22_*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("finding the tables in %s: %d files, %w", stdlib, len(files), err)
	}
	tables := maps.Clone(others)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		key := ""
		for line := range strings.Lines(string(text)) {
			if m := tableKey.FindStringSubmatch(line); m != nil {
				key = filepath.ToSlash(filepath.Dir(m[1]))
			}
			if m := tableName.FindStringSubmatch(line); m != nil {
				tables[key] = append(tables[key], m[1])
			}
		}
	}
	return tables, nil
}

// others lists the names that the interpreter has as source, because they are generic, or in a table that was written by hand.
var others = map[string][]string{
	"os/exec": {"Cmd", "Command", "CommandContext", "ErrNotFound", "Error", "ExitError", "LookPath"},
	"cmp":     {"Compare", "Less", "Or", "Ordered"},
	"slices": {
		"BinarySearch", "BinarySearchFunc", "Clip", "Clone", "Compact", "CompactFunc", "Compare", "CompareFunc", "Concat", "Contains",
		"ContainsFunc", "Delete", "DeleteFunc", "Equal", "EqualFunc", "Grow", "Index", "IndexFunc", "Insert", "IsSorted", "IsSortedFunc",
		"Max", "MaxFunc", "Min", "MinFunc", "Replace", "Reverse", "Sort", "SortFunc", "SortStableFunc",
	},
}
