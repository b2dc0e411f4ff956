package interp

import (
	"fmt"
	"path"
	"reflect"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
	"github.com/traefik/yaegi/stdlib/syscall"
	"github.com/traefik/yaegi/stdlib/unrestricted"
	"github.com/traefik/yaegi/stdlib/unsafe"

	"github.com/idelchi/aura/internal/box"
	"github.com/idelchi/aura/internal/lower"
	"github.com/idelchi/aura/internal/repair"
	"golang.org/x/mod/module"
)

// symbolKey returns the name of a package in the interpreter's tables: its import path and its package name.
func symbolKey(importPath string) string { return importPath + "/" + packageName(importPath) }

// packageName returns the name of a standard library package: the last element of its path that is not a major version.
func packageName(importPath string) string {
	if prefix, _, ok := module.SplitPathVersion(importPath); ok {
		importPath = prefix
	}
	return path.Base(importPath)
}

// isStandard reports whether every plugin may import a package.
func isStandard(importPath string) bool {
	_, ok := stdlib.Symbols[symbolKey(importPath)]
	return ok
}

// restrictedTables returns the tables that unsafe mode adds. A later table may add to a package of an earlier one.
func restrictedTables() []map[string]map[string]reflect.Value {
	return []map[string]map[string]reflect.Value{syscall.Symbols, unrestricted.Symbols, unsafe.Symbols}
}

// use registers the SDK and the standard library packages that the source imports with the interpreter. Registering the whole
// library would take longer than the rest of loading a plugin. sdk replaces symbols of the SDK. The table "." lists the functions that inspect their arguments
// of type any.
func use(i *interp.Interpreter, s *source, std streams, sdk interp.Exports) error {
	tables := []interp.Exports{{".": stdlib.Symbols["."]}, s.visible(sdkSymbols()), s.visible(sdk), selected(stdlib.Symbols, s.standard)}
	if s.interfaces {
		tables = append(tables, wrappers())
	}
	if s.unsafe {
		for _, table := range restrictedTables() {
			tables = append(tables, selected(table, s.standard))
		}
	}
	tables = append(tables, std.symbols(s), interp.Exports{
		symbolKey(repair.Path): ourSymbols(), symbolKey(lower.Path): box.New(wrapperOf).Symbols(),
	})
	for _, table := range tables {
		if err := i.Use(table); err != nil {
			return fmt.Errorf("registering symbols: %w", err)
		}
	}
	return nil
}

// visible returns the symbols of the SDK without those that a plugin hides: a plugin that imports the SDK into its own scope may
// declare a name that a later SDK has too.
func (s *source) visible(symbols interp.Exports) interp.Exports {
	for _, p := range s.packages {
		for _, f := range p.files {
			if !f.dotSDK {
				continue
			}
			for _, other := range p.files {
				for _, name := range other.names {
					for _, table := range symbols {
						delete(table, name)
					}
				}
			}
		}
	}
	return symbols
}

// declaredOnly returns the symbols that the plugin's own package declares. The interpreter also lists those of packages that are
// imported into its scope.
func (s *source) declaredOnly(symbols map[string]value) map[string]value {
	out := make(map[string]value)
	for _, f := range s.packages[len(s.packages)-1].files {
		for _, name := range f.names {
			if v, ok := symbols[name]; ok {
				out[name] = v
			}
		}
	}
	return out
}

// selected returns the part of a table that belongs to the packages. The doubled slash prevents the interpreter from mistaking
// a table with fmt for the whole library. It would then compile the library's generic source and replace the functions that
// streams replaces.
func selected(table map[string]map[string]reflect.Value, packages []string) interp.Exports {
	out := interp.Exports{}
	for _, p := range packages {
		if symbols, ok := table[symbolKey(p)]; ok {
			out[p+"//"+packageName(p)] = symbols
		}
	}
	return out
}

// wrappers returns the types that let interpreted values implement interfaces of packages that the plugin does not import
// itself: a plugin that passes an io.Reader to net/http need not import io.
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

// Release frees the tables of the standard library. A process with one plugin no longer needs them once the plugin is loaded.
// No other plugin can be loaded afterwards.
func Release() {
	clear(stdlib.Symbols)
	for _, table := range restrictedTables() {
		clear(table)
	}
}
