package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/idelchi/aura/internal/runtime/guest"
	"github.com/idelchi/aura/shared"
)

// loadGuest starts the guest of a launch specification and loads the plugin in it. From then on, this process ends with the guest, and with
// the guest's exit status. If something else ended the guest, aura finds the reason in the last line of the output, after what the guest
// itself printed.
func loadGuest(out streams, spec shared.LaunchSpec, services shared.Services) (shared.Served, error) {
	// A program was built from the source. The plugin must be gone when its directory is gone.
	if _, err := os.Stat(spec.Dir); err != nil {
		return nil, fmt.Errorf("reading the plugin: %w", err)
	}
	env := os.Environ() // this process has the plugin's environment
	g, err := guest.Start(*spec.Guest, guest.Options{Name: spec.Name, Dir: spec.Dir, Tool: spec.Tool, MemoryBytes: spec.MemoryBytes, Services: services}, env, out.stdout, out.stderr)
	if err != nil {
		return nil, err
	}
	go func() {
		err := g.Serve()
		if e, ok := errors.AsType[*guest.ExitError](err); ok {
			os.Exit(e.Status)
		}
		_, _ = fmt.Fprintln(out.stderr, "aura-plugin-host:", err)
		os.Exit(exitFailure)
	}()
	exports, err := g.Load(context.Background())
	return loadedGuest{g, exports}, err
}

// loadedGuest is a guest whose plugin is loaded already.
type loadedGuest struct {
	*guest.Guest
	exports shared.Exports
}

// Load returns the plugin's exports.
func (l loadedGuest) Load(context.Context) (shared.Exports, error) { return l.exports, nil }
