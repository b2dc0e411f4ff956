// Package symtab holds the symbols of the standard library for the interpreter: the values of each package, and the types by which
// interpreted values implement its interfaces. Nothing is computed before it is asked for, because a plugin imports few packages.
package symtab

import (
	"errors"
	"go/constant"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Table maps the names of a package to values as the interpreter expects them: a type is a nil pointer to it, a variable is addressable,
// an untyped constant is a constant.Value. The name of a wrapper is that of its interface after an underscore.
type Table = map[string]reflect.Value

// entry is one package. A function is nil if its table would be empty.
type entry struct {
	path              string
	symbols, wrappers func() Table
}

func find(path string) (entry, bool) {
	i, found := slices.BinarySearchFunc(packages[:], path, func(e entry, path string) int { return strings.Compare(e.path, path) })
	if !found {
		return entry{}, false
	}
	e := packages[i]
	if path == "log/syslog" {
		e = logSyslog
	}
	return e, true
}

// Symbols returns the symbols of a package, with its wrappers. The table is new and belongs to the caller. It is nil if the package is not
// known, and empty if it consists of generic functions.
func Symbols(path string) Table {
	e, found := find(path)
	if !found {
		return nil
	}
	out := Table{}
	if e.symbols != nil {
		out = e.symbols()
	}
	if e.wrappers != nil {
		maps.Copy(out, e.wrappers())
	}
	if path == "os" {
		out["Exit"], out["FindProcess"] = reflect.ValueOf(exit), reflect.ValueOf(findProcess)
	}
	return out
}

// exit panics, because a plugin must not end its process.
func exit(code int) { panic("os.Exit(" + strconv.Itoa(code) + ")") }

// findProcess does not find the plugin's own process.
func findProcess(pid int) (*os.Process, error) {
	if pid == os.Getpid() {
		return nil, errors.New("restricted")
	}
	return os.FindProcess(pid)
}

func integer(i int64) reflect.Value { return reflect.ValueOf(constant.MakeInt64(i)) }

func text(s string) reflect.Value { return reflect.ValueOf(constant.MakeString(s)) }

func literal(text string, kind token.Token) reflect.Value {
	return reflect.ValueOf(constant.MakeFromLiteral(text, kind, 0))
}
