package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/internal/runtime/native/gocmd"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// compiler is what compiles plugins; err is why nothing can be compiled.
type compiler struct {
	native.Builder

	err error
}

// newCompiler finds the toolchain. It starts nothing.
func newCompiler(c *config.Config) *compiler {
	out := &compiler{}
	cache := c.State.Cache()
	switch {
	case runtime.GOOS == "windows":
		out.err = errors.New("this system cannot pass descriptors to a process, which compiled plugins need")
		return out
	case cache == "":
		out.err = errors.New("there is no directory for compiled plugins; set HOME or XDG_STATE_HOME")
		return out
	}
	path, _ := config.Lookup(c.Inherited, "PATH")
	toolchain, err := native.Find(path, Writable(c))
	if err != nil {
		out.err = err
		return out
	}
	out.Builder = native.Builder{
		Dir: filepath.Join(cache, "native"), Toolchain: toolchain, SDK: install.SDKSource(), Version: build.Read().String(), Run: GoCommand(c),
		Confined: confines(c),
	}
	return out
}

// compilers holds the compiler of each configuration, so that the toolchain is looked for only once.
var compilers sync.Map

func compilerOf(c *config.Config) *compiler {
	path, _ := config.Lookup(c.Inherited, "PATH")
	key := c.Workdir + "\x00" + path + "\x00" + c.State.Root + "\x00" + fmt.Sprint(c.Features.Sandbox.Enabled)
	once, _ := compilers.LoadOrStore(key, sync.OnceValue(func() *compiler { return newCompiler(c) }))
	return once.(func() *compiler)() //nolint:forcetypeassert // only this function stores values
}

// NotGranted is why a plugin that asks for the native runtime is not run.
const NotGranted = "it asks for the native runtime (runtime: native in plugin.yaml); to permit compiled plugins, set \"plugins: native: true\" in features/plugins.yaml"

// notGrantedError is the error of such a plugin.
type notGrantedError struct{}

func (notGrantedError) Error() string { return NotGranted }

func (notGrantedError) Unwrap() error { return host.ErrNotPermitted }

// compile sets the program of a plugin in Go, if the user permits one. A plugin that is only compiled, and cannot be, is refused.
func (e Entry) compile(c *config.Config, spec *host.Spec) {
	asked := e.Manifest.Runtime
	if spec.Err != nil || asked == manifest.GoRuntimeInterpreted {
		return
	}
	only := asked == manifest.GoRuntimeNative
	n, err := e.program(c, spec.Unsafe)
	switch {
	case !c.Features.Plugins.Native && only:
		spec.Err = &manifest.RefusedError{Err: notGrantedError{}}
	case n == nil && err == nil:
	case err != nil && only:
		spec.Err = &manifest.RefusedError{Err: err}
	case err != nil:
		spec.NativeError = err
	default:
		n.Only, n.First = only, build.CompileFirst && !only
		spec.Native = n
	}
}

// program returns the program of a plugin, or nil if compiled plugins are not permitted.
func (e Entry) program(c *config.Config, unsafe bool) (*host.Native, error) {
	if !c.Features.Plugins.Native && !build.CompileFirst {
		return nil, nil
	}
	if err := c.Machine.Native(); err != nil {
		return nil, err
	}
	compiler := compilerOf(c)
	if compiler.err != nil {
		return nil, compiler.err
	}
	source, err := native.Read(e.Dir, compiler.Toolchain, unsafe)
	if err != nil {
		return nil, err
	}
	p, err := compiler.Program(source)
	if err != nil {
		return nil, err
	}
	return &host.Native{
		Key: p.Key(), State: source.State(), Program: p.Path(), Ready: p.Ready, Building: p.Building, Failed: p.Failed, Build: p.Build,
		Ahead: func(ctx context.Context) error {
			return p.Ahead(ctx, func() (<-chan struct{}, error) { return startDrain(c, compiler.Dir) })
		},
	}, nil
}

// InRuntime returns the specification with which a plugin in Go runs in one runtime, host.RuntimeInterpreted or host.RuntimeNative, also if the
// settings choose the other one. An empty runtime is what the settings choose.
func (e Entry) InRuntime(c *config.Config, unsafe bool, runtime string) (host.Spec, error) {
	spec := e.Spec(c, unsafe)
	switch runtime {
	case host.RuntimeInterpreted:
		spec.Native, spec.NativeError = nil, nil
	case host.RuntimeNative:
		permitted := *c
		permitted.Features.Plugins.Native = true
		n, err := e.program(&permitted, spec.Unsafe)
		if err != nil {
			return spec, err
		}
		n.Only, spec.Native = true, n
	}
	return spec, nil
}

// GoCommand returns what runs the go command: confined, if the configuration confines anything.
func GoCommand(c *config.Config) native.Runner { return goCommand(confines(c)) }

func goCommand(confined bool) native.Runner {
	if confined {
		return runGo
	}
	return gocmd.Unconfined
}

// runGo runs the go command in a confined process: it can read the system and the toolchain, write to the directories of the build, and has
// no network unless the command permits it.
func runGo(ctx context.Context, c gocmd.Command) (string, error) {
	program, err := toolhost.Program()
	if err != nil {
		return "", err
	}
	args, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encoding a build: %w", err)
	}
	place := sandbox.Place{Workdir: c.Dir, Temp: c.Dir, Writable: c.Writable, Own: []string{c.Root}, Git: &sandbox.Repositories{}}
	place.Own = append(place.Own, program.Path)
	policy := sandbox.Default(place, sandbox.KindBuild)
	policy.Network = c.Network
	policy.ReadOnly = append(policy.ReadOnly, c.Readable...)
	done, err := sandbox.Run(ctx, sandbox.Command{
		Executable: program.Start, Dir: c.Dir, Env: []string{toolhost.NoCollection}, Policy: policy, Call: sandbox.Call{Tool: toolhost.Build, Args: args, Options: []byte("{}")},
	})
	if err != nil {
		return "", err
	}
	var said toolhost.Answer
	if err := json.Unmarshal(done.Value, &said); err != nil {
		return "", fmt.Errorf("reading the answer of a build: %w", err)
	}
	if said.Error != "" {
		return said.Output, &gocmd.FailedError{Reason: said.Error}
	}
	return said.Output, nil
}
