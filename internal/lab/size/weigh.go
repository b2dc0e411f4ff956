package main

import (
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// weight is a number of bytes in a program.
type weight struct {
	code, data int64
	// tables is the share of the tables that map code to lines and frames. They are about as large as the code.
	tables int64
}

func (w weight) total() int64 { return w.code + w.data + w.tables }

func (w *weight) add(o weight) {
	w.code, w.data, w.tables = w.code+o.code, w.data+o.data, w.tables+o.tables
}

type module struct {
	name string
	weight
}

// table is what a program consists of.
type table struct {
	size    int64
	modules []module
	// rest is what belongs to no module: the linker merges the types and strings of all.
	rest int64
}

// weigh reads a program with symbols. size is that of the same program without them.
func weigh(path string, size int64) (table, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return table{}, err
	}
	file, err := elf.Open(path)
	if err != nil {
		return table{}, err
	}
	defer func() { _ = file.Close() }()
	symbols, err := file.Symbols()
	if err != nil {
		return table{}, fmt.Errorf("reading the symbols: %w; build without -s", err)
	}
	modules := []string{info.Main.Path}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	weights := map[string]*weight{}
	for _, s := range symbols {
		if int(s.Section) >= len(file.Sections) || file.Sections[s.Section].Type == elf.SHT_NOBITS {
			continue // without a place in the file
		}
		name := owner(packageOf(s.Name), modules)
		if name == "" {
			continue
		}
		w := weights[name]
		if w == nil {
			w = &weight{}
			weights[name] = w
		}
		if file.Sections[s.Section].Name == ".text" {
			w.code += int64(s.Size) //nolint:gosec // a section of a file that exists
		} else {
			w.data += int64(s.Size) //nolint:gosec // see above
		}
	}
	var lines int64
	if s := file.Section(".gopclntab"); s != nil {
		lines = int64(s.Size) //nolint:gosec // see above
	}
	return sum(weights, lines, size), nil
}

// sum shares out the tables by the code and sorts the modules by what they weigh.
func sum(weights map[string]*weight, lines, size int64) table {
	out := table{size: size, rest: size}
	var code int64
	for _, w := range weights {
		code += w.code
	}
	for name, w := range weights {
		if code > 0 {
			w.tables = int64(float64(lines) * float64(w.code) / float64(code))
		}
		out.modules = append(out.modules, module{name, *w})
		out.rest -= w.total()
	}
	slices.SortFunc(out.modules, func(a, b module) int {
		return cmp.Or(cmp.Compare(b.total(), a.total()), strings.Compare(a.name, b.name))
	})
	return out
}

// packageOf returns the path of the package that a symbol belongs to, or "" if it is the linker's own.
func packageOf(symbol string) string {
	for _, prefix := range []string{"type:.eq.", "type:.hash.", "go:itab.", "go:struct.", "go:link."} {
		symbol = strings.TrimPrefix(symbol, prefix)
	}
	if strings.HasPrefix(symbol, "go:") || strings.HasPrefix(symbol, "type:") || strings.HasPrefix(symbol, "runtime.pclntab") {
		return ""
	}
	symbol = strings.TrimLeft(symbol, "*")
	if i := strings.IndexAny(symbol, "([,{"); i >= 0 {
		symbol = symbol[:i]
	}
	slash := strings.LastIndexByte(symbol, '/') + 1
	dot := strings.IndexByte(symbol[slash:], '.')
	if dot < 0 {
		return ""
	}
	// The linker writes a dot in the last element of a path, as in yaml.v3, as %2e.
	return strings.ReplaceAll(symbol[:slash+dot], "%2e", ".")
}

const standard = "the standard library"

// owner returns the module of a package: the longest of the modules whose path it begins with.
func owner(path string, modules []string) string {
	if path == "" {
		return ""
	}
	var best string
	for _, m := range modules {
		if (path == m || strings.HasPrefix(path, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	first, _, _ := strings.Cut(path, "/")
	switch {
	case best != "":
		return best
	case path == "main":
		return modules[0]
	case !strings.Contains(first, "."):
		return standard
	default:
		return path
	}
}
