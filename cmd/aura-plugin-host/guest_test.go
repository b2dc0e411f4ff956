//go:build unix

package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// interpreter returns the path of the real Python interpreter, which may be behind a version manager's script.
var interpreter = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	return strings.TrimSpace(string(out)), err
})

// python starts a child whose guest runs an extension, and does not load it. target is the file or the directory of the extension, or an
// entry point. paths are directories with further modules.
func python(t *testing.T, target string, env []string, paths ...string) *started {
	t.Helper()
	return start(t, pythonSpec(t, target, paths...), append(env, "PATH="+os.Getenv("PATH"))...)
}

// pythonSpec returns the launch specification of such a child.
func pythonSpec(t *testing.T, target string, paths ...string) shared.LaunchSpec {
	t.Helper()
	testneed.Program(t, "python")
	program, err := interpreter()
	if err != nil {
		t.Fatal(err)
	}
	root, err := aar.PythonPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return shared.LaunchSpec{Name: "mine", Dir: filepath.Dir(target), Guest: &shared.Guest{Program: program, Args: aar.Args(root, target, paths...)}}
}

// extension starts a child with an extension of one file, and loads it. aura's side of its requests is served.
func extension(t *testing.T, source string) (*started, shared.Exports) {
	t.Helper()
	return loaded(t, python(t, filepath.Join(unpack(t, "-- ext.py --\n"+source), "ext.py"), nil), newServices())
}

// loaded loads the extension of a child.
func loaded(t *testing.T, p *started, s *services) (*started, shared.Exports) {
	t.Helper()
	p.serve(t, s)
	exports, err := p.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, exports
}

// storedPath returns the path of one of the test extensions in internal/runtime/aar.
func storedPath(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "internal", "runtime", "aar", "testdata", "extensions", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// stored starts a child with one of the test extensions in internal/runtime/aar, and loads it.
func stored(t *testing.T, name string) (*started, shared.Exports) {
	t.Helper()
	return loaded(t, python(t, storedPath(t, name), nil), newServices())
}

// pointName returns the name of a hook point.
func pointName(name string) hookpoint.Name { return hookpoint.Name(name) }

// serve handles the requests of the child until the test ends.
func (p *started) serve(t *testing.T, s shared.Services) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.Serve(ctx, s)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// services keeps state and events for a test.
type services struct {
	mu      sync.Mutex
	state   map[string]string
	listens []string
	emitted []string
	grew    chan struct{}
}

func newServices() *services {
	return &services{state: map[string]string{}, grew: make(chan struct{}, 1)}
}

func (s *services) Emit(_ context.Context, name string, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, err := shared.DecodePayload(payload)
	if err != nil {
		return err
	}
	text, err := shared.EncodeExact(value)
	s.emitted = append(s.emitted, name+" "+string(text))
	s.changed()
	return err
}

func (s *services) Listen(_ context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listens = append(s.listens, name)
	s.changed()
	return nil
}

func (s *services) State(_ context.Context, r shared.StateRequest) (shared.StateAnswer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := string(r.Scope) + " " + r.Key
	var out shared.StateAnswer
	switch r.Op {
	case shared.StateGet:
		out.Value, out.Found = s.state[key]
	case shared.StateSet:
		s.state[key] = r.Value
	case shared.StateDelete:
		delete(s.state, key)
	case shared.StateList:
		for k := range s.state {
			if strings.HasPrefix(k, key) {
				out.Keys = append(out.Keys, strings.TrimPrefix(k, string(r.Scope)+" "))
			}
		}
	default:
		return out, errors.New("unknown operation")
	}
	return out, nil
}

// snapshot returns a copy of the state.
func (s *services) snapshot() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.state)
}

// await returns once enough holds.
func (s *services) await(t *testing.T, enough func() bool) {
	t.Helper()
	for {
		s.mu.Lock()
		done := enough()
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-s.grew:
		case <-t.Context().Done():
			t.Fatalf("only these came: %q, %q", s.emitted, s.listens)
		}
	}
}

// changed wakes whoever awaits something.
func (s *services) changed() {
	select {
	case s.grew <- struct{}{}:
	default:
	}
}

// tool runs a tool of the extension and returns its result, or the text of its error after "error: ".
func (p *started) tool(t *testing.T, name string, args map[string]any) string {
	t.Helper()
	out, err := p.Execute(t.Context(), shared.ToolCall{Tool: name, Args: args})
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

// guard calls the handlers of tool_call and returns the reason why the call is blocked, or "".
func (p *started) guard(t *testing.T, tool string, args map[string]any) string {
	t.Helper()
	out, err := p.Hook(t.Context(), shared.HookCall{
		Point: "BeforeToolExecution", Context: sdk.BeforeToolContext{ToolName: tool, Arguments: args},
	})
	if err != nil {
		return "error: " + err.Error()
	}
	result, ok := out.(sdk.BeforeToolResult)
	if !ok || !result.Block {
		return ""
	}
	return result.Message
}

func (*services) Now(context.Context) (time.Time, error) { return time.Time{}, nil }

func (*services) Rand(context.Context) (uint64, error) { return 0, nil }
