package interp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// hook is the beginning of a plugin with one file. Any declarations may follow.
const hook = `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: message(ctx, c)}, nil
}
`

// unpack writes files to a temporary directory of the test. Each file follows a line with its name between dashes.
func unpack(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for part := range strings.SplitSeq("\n"+archive, "\n-- ") {
		name, text, found := strings.Cut(part, " --\n")
		if !found {
			continue
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// output returns a file that receives what a plugin prints.
func output(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func read(t *testing.T, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func load(t *testing.T, archive string) (*Plugin, error) {
	t.Helper()
	out := output(t)
	return Load(Options{Name: "my-plugin", Dir: unpack(t, archive), Stdout: out, Stderr: out})
}

func mustLoad(t *testing.T, archive string) *Plugin {
	t.Helper()
	p, err := load(t, archive)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// beforeChat calls the hook and returns its message.
func beforeChat(t *testing.T, p *Plugin) (string, error) {
	t.Helper()
	out, err := p.Hook(context.Background(), shared.HookCall{Point: "BeforeChat", Context: sdk.BeforeChatContext{}})
	if err != nil {
		return "", err
	}
	result, ok := out.(sdk.Result)
	if !ok {
		t.Fatalf("BeforeChat returned a %T", out)
	}
	return result.Message, nil
}

func wantFailure(t *testing.T, err error, kind shared.FailureKind, text string) {
	t.Helper()
	failure, ok := errors.AsType[*shared.Failure](err)
	if !ok {
		t.Fatalf("got %v, want a failure of kind %q", err, kind)
	}
	if failure.Kind != kind || failure.Message != text {
		t.Errorf("got %s %q\nwant %s %q", failure.Kind, failure.Message, kind, text)
	}
}

func contains(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
