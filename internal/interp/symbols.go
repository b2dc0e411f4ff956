package interp

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
	"github.com/traefik/yaegi/stdlib/generic"
	"github.com/traefik/yaegi/stdlib/syscall"
	"github.com/traefik/yaegi/stdlib/unrestricted"
	"github.com/traefik/yaegi/stdlib/unsafe"

	"github.com/idelchi/aura/internal/repair"
	"golang.org/x/mod/module"
)

// symbolKey is how the interpreter's tables name a package: its import path and its package name.
func symbolKey(importPath string) string { return importPath + "/" + packageName(importPath) }

// packageName is the name of a package of the standard library: the last element of its path that is no major version.
func packageName(importPath string) string {
	if prefix, _, ok := module.SplitPathVersion(importPath); ok {
		importPath = prefix
	}
	return path.Base(importPath)
}

// isStandard reports whether a package is open to every plugin.
func isStandard(importPath string) bool {
	_, ok := stdlib.Symbols[symbolKey(importPath)]
	return ok
}

// restrictedTables hold what unsafe mode adds; a later one adds to a package of an earlier one.
func restrictedTables() []map[string]map[string]reflect.Value {
	return []map[string]map[string]reflect.Value{syscall.Symbols, unrestricted.Symbols, unsafe.Symbols}
}

// use makes the SDK and the standard library packages that the source imports known to the interpreter. Registering the whole
// library would take longer than all the rest of loading a plugin. The table "." tells which functions look behind any.
func use(i *interp.Interpreter, s *source, std streams) error {
	tables := []interp.Exports{{".": stdlib.Symbols["."]}, sdkSymbols(), selected(stdlib.Symbols, s.standard)}
	if s.interfaces {
		tables = append(tables, wrappers())
	}
	if s.unsafe {
		for _, table := range restrictedTables() {
			tables = append(tables, selected(table, s.standard))
		}
	}
	tables = append(tables, std.symbols(s), interp.Exports{symbolKey(repair.Path): ourSymbols()})
	for _, table := range tables {
		if err := i.Use(table); err != nil {
			return fmt.Errorf("registering symbols: %w", err)
		}
	}
	return useGeneric(i, s.standard)
}

// selected returns the part of a table that concerns the packages. The doubled slash keeps the interpreter from taking a table
// with fmt for the whole library, which would make it compile the library's generic source and replace functions that streams
// replaces.
func selected(table map[string]map[string]reflect.Value, packages []string) interp.Exports {
	out := interp.Exports{}
	for _, p := range packages {
		if symbols, ok := table[symbolKey(p)]; ok && !isGeneric(p) {
			out[p+"//"+packageName(p)] = symbols
		}
	}
	return out
}

// wrappers returns the types that let interpreted values stand for interfaces of packages which the plugin may not import
// itself: one that hands an io.Reader to net/http need not import io.
func wrappers() interp.Exports {
	out := interp.Exports{}
	for _, w := range wrapperNames {
		symbols := make(map[string]reflect.Value, len(w.names))
		for _, name := range w.names {
			if v, ok := stdlib.Symbols[w.key][name]; ok {
				symbols[name] = v
			}
		}
		out[path.Dir(w.key)+"//"+path.Base(w.key)] = symbols
	}
	return out
}

// isGeneric names the packages that exist as source, because they consist of generic functions.
func isGeneric(importPath string) bool {
	return importPath == "cmp" || importPath == "slices"
}

// useGeneric compiles the generic packages that are imported. slices imports cmp.
func useGeneric(i *interp.Interpreter, packages []string) error {
	for _, src := range generic.Sources {
		for _, p := range []string{"cmp", "slices"} {
			wanted := slices.Contains(packages, p) || p == "cmp" && slices.Contains(packages, "slices")
			if !wanted || !strings.Contains(src, "\npackage "+p+"\n") {
				continue
			}
			if _, err := i.Compile(src); err != nil {
				return fmt.Errorf("compiling package %s: %w", p, err)
			}
		}
	}
	return nil
}

// Release frees the tables of the standard library. A process that holds one plugin needs them no more once it is loaded; no
// other can be loaded afterwards.
func Release() {
	clear(stdlib.Symbols)
	for _, table := range restrictedTables() {
		clear(table)
	}
}
