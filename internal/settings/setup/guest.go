package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/internal/runtime/python"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/shared"
)

// guest is how Python extensions are run: the interpreter, and the directory of the modules that extensions import.
type guest struct {
	interpreter python.Interpreter
	modules     string
	// home is the user's home directory.
	home string
	// err is why extensions cannot be run.
	err error
}

// Python finds the interpreter that runs extensions. It never returns a program that tools can change, and starts nothing in a
// directory that is not trusted.
func Python(c *config.Config) (python.Interpreter, error) { return python.Find(pythonEnvironment(c)) }

// pythonEnvironment returns where the interpreter is looked for.
func pythonEnvironment(c *config.Config) python.Environment {
	return python.Environment{Environ: c.Inherited, Writable: Writable(c), Cache: c.State.Cache(), OnlyCached: c.Untrusted}
}

func newGuest(c *config.Config) *guest {
	g := &guest{}
	if home, err := os.UserHomeDir(); err == nil {
		g.home = home
	}
	if g.interpreter, g.err = Python(c); g.err != nil {
		return g
	}
	cache := c.State.Cache()
	if cache == "" {
		g.err = errors.New("there is no directory for the modules that it imports; set HOME or XDG_STATE_HOME")
		return g
	}
	g.modules, g.err = aar.PythonPath(cache)
	return g
}

// checkAvailable sets the status and the error of an extension that cannot be run on this machine. A guard that fails closed stays
// enabled, so that it blocks.
func (e *Entry) checkAvailable() {
	if e.guest == nil || e.guest.err == nil || e.Err != nil && !errors.Is(e.Err, e.guest.err) {
		return
	}
	e.Err = &manifest.RefusedError{Err: e.guest.err}
	if e.Manifest.OnFailure != manifest.FailClosed {
		e.Status = StatusUnavailable
	}
}

// run sets how the host runs an extension.
func (g *guest) run(spec *host.Spec) {
	if spec.Err != nil {
		return
	}
	if g.err != nil {
		spec.Err = &manifest.RefusedError{Err: g.err}
		return
	}
	target, paths := python.Target(spec.Plugin)
	spec.Guest = &shared.Guest{Program: g.interpreter.Program, Args: aar.Args(g.modules, target, paths...)}
}

// grant lets an extension's process read the interpreter and the modules. The modules are part of aura's state, which is hidden.
func (g *guest) grant(p *sandbox.Policy) {
	if g.err != nil {
		return
	}
	p.Own = slices.Concat(p.Own, []string{g.modules}, g.interpreter.Readable(g.home))
	p.Shown = append(slices.Clip(p.Shown), g.modules)
}

// guestPlace extends the place of an extension's process. Extensions keep files in the user's directory of Aar. The extensions in
// that directory are protected, so their directory must exist.
func (c *Confinement) guestPlace() {
	if c.aar == "" {
		return
	}
	// An extension that needs a directory that cannot be created will report that.
	if os.MkdirAll(filepath.Join(c.aar, "extensions"), 0o700) != nil {
		return
	}
	c.place.Writable, c.place.Survey = append(slices.Clip(c.place.Writable), c.aar), nil
}

// CheckExtension returns what the text of a Python extension shows to be wrong. It runs nothing. A plugin in Go is not checked.
func CheckExtension(e Entry) error {
	if !e.Python() || e.Status == StatusUnavailable {
		return nil
	}
	p := e.Plugin
	if _, refused := errors.AsType[*manifest.RefusedError](p.Err); refused {
		p.Err = nil // its files are sound, and whether it may run is reported elsewhere
	}
	return python.Check(p)
}
