package interp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/traefik/yaegi/interp"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// Options describes what to load.
type Options struct {
	// Name is the plugin's name; it is the plugin's os.Args[0].
	Name string
	// Dir is the absolute path of the plugin's directory.
	Dir string
	// Unsafe permits the restricted packages and lets os.Exit and log.Fatal end the process.
	Unsafe bool
	// Stdout and Stderr receive everything that the plugin prints. The caller owns them.
	Stdout, Stderr *os.File
	// Tool is passed to the plugin's Init.
	Tool sdk.ToolConfig
	// Lowered is what an earlier load of the plugin returned as lowered source; it may be empty or belong to another source.
	Lowered []byte
	// Services is what aura does at the plugin's request; nil if aura cannot be asked.
	Services shared.Services
}

// Plugin is a loaded plugin. Its methods may be called concurrently. Each call runs in its own goroutine and returns only when
// the plugin's function has returned.
type Plugin struct {
	runner
	exports  shared.Exports
	bound    bindings
	mentions map[string]bool
	desk     *desk
}

// Load reads, checks, evaluates and binds the plugin in a directory. It runs the plugin's init functions and its Init.
func Load(o Options) (p *Plugin, err error) {
	defer func() {
		if v := recover(); v != nil {
			p, err = nil, fmt.Errorf("the source is more than the interpreter can take: %s", panicText(v))
		}
	}()
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the plugin's directory: %w", err)
	}
	src, err := readSource(dir, o.Unsafe, o.Lowered)
	if err != nil {
		return nil, err
	}
	facts := src.Facts(shared.Growing())
	p = &Plugin{
		runner: newRunner(&trace{out: o.Stderr, root: dir + string(filepath.Separator)}),
		exports: shared.Exports{
			Module: src.Module, Package: src.Package, Unread: facts.Unread, Warnings: facts.Warnings, Emits: facts.Emits, Disables: facts.Disables,
			Lowered: src.lowered,
		},
		mentions: src.mentionsOf("Turns", "ToolHistory", "Args"),
		desk:     newDesk(o.Services),
	}
	symbols, err := p.evaluate(src, o)
	if err != nil {
		return nil, err
	}
	if err := p.bind(symbols, o.Tool); err != nil {
		return nil, err
	}
	p.exports.Listens = p.desk.loaded()
	return p, nil
}

// evaluate runs the source, including init functions, and returns the exports of the plugin's package. The packages are
// evaluated one by one, dependencies first, so that the interpreter never has to search for a package.
func (p *Plugin) evaluate(src *source, o Options) (map[string]value, error) {
	i := interp.New(interp.Options{
		Stdout:       o.Stdout,
		Stderr:       p.trace,
		Unrestricted: o.Unsafe,
	})
	var symbols map[string]value
	failure := p.run("loading", func() error {
		if err := use(i, src, streams{name: o.Name, stdout: o.Stdout, stderr: o.Stderr}, p.desk.symbols(o.Stderr)); err != nil {
			return err
		}
		for n, pkg := range src.Packages {
			if err := evaluate(i, pkg.Path, src.texts[n]); err != nil {
				return err
			}
		}
		symbols = src.declaredOnly(lookup(i, src.Module))
		return nil
	})
	if failure != nil {
		return nil, loadError(failure)
	}
	return symbols, nil
}

// lookup returns the exports of a package. The interpreter's own listing panics on symbols that have no value, such as generic
// functions. In that case, the relevant names are evaluated one by one.
func lookup(i *interp.Interpreter, module string) (symbols map[string]value) {
	defer func() {
		if recover() != nil {
			symbols = lookupEach(i, module)
		}
	}()
	return i.Symbols(module)[module]
}

func lookupEach(i *interp.Interpreter, module string) map[string]value {
	symbols := map[string]value{}
	if _, err := i.Eval("import plugin " + strconv.Quote(module)); err != nil {
		return symbols
	}
	for _, name := range pluginsource.Names() {
		if v, err := i.Eval("plugin." + name); err == nil && v.IsValid() {
			symbols[name] = v
		}
	}
	return symbols
}

// loadError returns an error for a failure during the first run of the plugin's code.
func loadError(f *shared.Failure) error {
	switch f.Kind {
	case shared.FailurePanic:
		return fmt.Errorf("panic while the plugin was evaluated: %s", f.Message)
	case shared.FailureGoexit:
		return errors.New("an init function ended its goroutine with runtime.Goexit")
	default:
		return errors.New(strings.TrimSpace(f.Message))
	}
}

// Load returns the plugin's exports. The plugin is already loaded.
func (p *Plugin) Load(context.Context) (shared.Exports, error) { return p.exports, nil }

// Touches reports whether the source mentions a list of the context, or the arguments in one. It returns true for any other
// name.
func (p *Plugin) Touches(field string) bool {
	mentioned, known := p.mentions[field]
	return mentioned || !known
}
