package interp

import (
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/traefik/yaegi/interp"
	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/golang/box"
	"github.com/idelchi/aura/internal/golang/interp/symtab"
	"github.com/idelchi/aura/internal/golang/lower"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
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

// use registers the SDK and the standard library packages that the source imports with the interpreter. Registering the whole
// library would take longer than the rest of loading a plugin. sdk replaces symbols of the SDK.
func use(i *interp.Interpreter, s *source, std streams, sdk interp.Exports) error {
	tables := []interp.Exports{s.visible(sdkSymbols()), s.visible(sdk), selected(symtab.Symbols, s.standard)}
	if s.Unsafe {
		tables = append(tables, selected(symtab.Restricted, s.standard))
	}
	if slices.Contains(s.standard, "unsafe") {
		key, table := symtab.Conversions()
		tables = append(tables, interp.Exports{key: table})
	}
	for _, table := range tables {
		table["."] = behind(table)
	}
	space := box.New(wrapperOf, std.stderr)
	tables = append(tables, std.symbols(s), interp.Exports{
		symbolKey(lower.Path): space.Symbols(), "reflect//reflect": space.Reflect(),
	})
	for _, table := range tables {
		if err := i.Use(table); err != nil {
			return fmt.Errorf("registering symbols: %w", err)
		}
	}
	return nil
}

// behind returns the table "." for symbols of the library: which types the interpreter looks for in arguments of type any.
func behind(symbols interp.Exports) map[string]reflect.Value {
	out := map[reflect.Value][]reflect.Type{}
	for key, table := range symbols {
		for name, v := range table {
			if types := symtab.Behind(path.Dir(key), name); types != nil {
				out[v] = types
			}
		}
	}
	return map[string]reflect.Value{"MapTypes": reflect.ValueOf(out)}
}

// visible returns the symbols of the SDK without those that a plugin hides: a plugin that imports the SDK into its own scope may
// declare a name that a later SDK has too.
func (s *source) visible(symbols interp.Exports) interp.Exports {
	for _, p := range s.Packages {
		for _, f := range p.Files {
			if pluginsource.SDKName(f.Tree) != "." {
				continue
			}
			for _, other := range p.Files {
				for _, name := range pluginsource.DeclaredNames(other.Tree) {
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
	for _, f := range s.Own().Files {
		for _, name := range pluginsource.DeclaredNames(f.Tree) {
			if v, ok := symbols[name]; ok {
				out[name] = v
			}
		}
	}
	for _, d := range s.Declarations() {
		if d.Type != nil && d.Type.TypeParams != nil {
			out[d.Name.Name] = reflect.ValueOf(generic{})
		}
	}
	return out
}

// generic is the value of a generic function, which has none.
type generic struct{}

// selected returns the tables of the packages, where there are any. The doubled slash prevents the interpreter from mistaking
// a table with fmt for the whole library. It would then compile the library's generic source and replace the functions that
// streams replaces.
func selected(symbols func(string) symtab.Table, packages []string) interp.Exports {
	out := interp.Exports{}
	for _, p := range packages {
		if table := symbols(p); table != nil {
			out[p+"//"+packageName(p)] = table
		}
	}
	return out
}
