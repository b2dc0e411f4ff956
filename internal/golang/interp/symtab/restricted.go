package symtab

import (
	"log"
	"maps"
	"os"
	"os/exec"
	"reflect"

	"github.com/traefik/yaegi/stdlib/unsafe"
)

// restricted lists what only unsafe mode provides, by import path.
var restricted = [...]struct {
	path    string
	symbols func() Table
}{
	{"log", func() Table {
		return Table{
			"Fatal": reflect.ValueOf(log.Fatal), "Fatalf": reflect.ValueOf(log.Fatalf), "Fatalln": reflect.ValueOf(log.Fatalln),
		}
	}},
	{"os", func() Table {
		return Table{"Exit": reflect.ValueOf(os.Exit), "FindProcess": reflect.ValueOf(os.FindProcess)} //nolint:forbidigo // for plugins
	}},
	{"os/exec", func() Table {
		return Table{
			"Cmd": reflect.ValueOf((*exec.Cmd)(nil)), "Error": reflect.ValueOf((*exec.Error)(nil)), "ExitError": reflect.ValueOf((*exec.ExitError)(nil)),
			"Command": reflect.ValueOf(exec.Command), "CommandContext": reflect.ValueOf(exec.CommandContext),
			"LookPath": reflect.ValueOf(exec.LookPath), "ErrNotFound": reflect.ValueOf(&exec.ErrNotFound).Elem(),
		}
	}},
	{"syscall", systemCalls},
	// This table is small, and parts of it are functions of the interpreter.
	{"unsafe", func() Table { return maps.Clone(unsafe.Symbols["unsafe/unsafe"]) }},
}

// Conversions returns what the interpreter needs to convert values of unsafe.Pointer, and the key under which it looks for that.
func Conversions() (string, Table) {
	const key = "github.com/traefik/yaegi/yaegi"
	return key, maps.Clone(unsafe.Symbols[key])
}

// Restricted returns the symbols that unsafe mode adds to a package. The table is nil if there are none.
func Restricted(path string) Table {
	for _, r := range restricted {
		if r.path == path {
			return r.symbols()
		}
	}
	return nil
}

// RestrictedPackages returns the import paths to which unsafe mode adds symbols.
func RestrictedPackages() []string {
	var out []string
	for _, r := range restricted {
		out = append(out, r.path)
	}
	return out
}
