// Package shim is the main program of a compiled plugin. It binds the functions that the plugin exports by the rules of the interpreter, and
// calls them at the request of aura-plugin-host. It is part of every compiled plugin, so it imports only the standard library, the SDK and
// the packages beside it.
package shim

import (
	"fmt"
	"os"
	"reflect"
	"runtime/debug"

	"github.com/idelchi/aura/internal/runtime/native/link"
)

// protocol is the version of the protocol that this package speaks.
const protocol = 1

// maxStack is the stack size, in bytes, at which endless recursion ends with a clear message. It is that of interpreted plugins.
const maxStack = 32 << 20

// Function is a function that aura calls if a plugin exports it. Value is what the plugin exports under the name; nil if it exports nothing.
type Function struct {
	Name  string
	Value any
	// Exported is false if the package declares nothing of the name.
	Exported bool
	// Want is the required type.
	Want reflect.Type
	// Otherwise describes what happens if an optional function has another type. It is empty for functions that are not optional.
	Otherwise string
}

// Generic is the value of a generic function, which has none.
type Generic struct{}

// Plugin describes a plugin: what its source shows, and its functions.
type Plugin struct {
	Module, Package string
	Emits, Disables []string
	Unread          []string
	Warnings        []string
	// Hooks holds the functions of all hook points, in the order of the table of hook points. Others holds all other functions.
	Hooks  []Function
	Others []Function
	// NotFound is exec.ErrNotFound if the plugin can start programs, and nil otherwise.
	NotFound error
}

// Main serves the plugin until the host is gone, and exits.
func Main(p Plugin) {
	if !link.Connected() {
		fmt.Fprintln(os.Stderr, "This program is a plugin of aura. aura starts it when it needs it; by hand it does nothing.")
		os.Exit(2)
	}
	debug.SetMaxStack(maxStack)
	s := newServer(p)
	for {
		call, ok := link.Next()
		if !ok {
			os.Exit(0)
		}
		s.handle(call)
	}
}
