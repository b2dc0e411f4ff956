package toolhost_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
)

// TestMain lets the test executable take the place of aura-tool-host.
func TestMain(m *testing.M) {
	if status, asked := toolhost.Main(os.Args, nil); asked {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestMainIgnores(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"aura"}, {"aura", "run"}, {"aura", "run", shell.Argument}, {"aura", sandbox.Argument + "x"}, {"aura", "-" + process.ReaperArgument}} {
		if _, asked := toolhost.Main(args, nil); asked {
			t.Errorf("%q: taken for arguments of the tool host", args)
		}
	}
}

// TestProgramItself has no aura-tool-host beside it.
func TestProgramItself(t *testing.T) {
	t.Parallel()
	found, err := toolhost.Program()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if found.Separate() || found.Path != own {
		t.Errorf("got %+v, want %s", found, own)
	}
	ran, err := shell.Run(t.Context(), shell.Command{Executable: found.Start, Line: "echo ran", Dir: t.TempDir()})
	if err != nil || string(ran.Stdout) != "ran\n" {
		t.Errorf("got %q, %v", ran.Stdout, err)
	}
}

func TestUnconfined(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		cancelled         bool
		tool, args        string
		want, said, fails string
	}{
		"a result":            {tool: "Ls", args: `{"path":"."}`, want: "file"},
		"an error":            {tool: "Read", args: `{"path":"none"}`, said: "no such file"},
		"another tool":        {tool: "None", args: `{}`, fails: "running None: it is not a built-in tool"},
		"arguments of no use": {tool: "Ls", args: `[]`, fails: "reading the arguments of Ls"},
		"cancelled":           {cancelled: true, tool: "Ls", args: `{}`, fails: "cancelled by the test"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if row.cancelled {
				cancel(errors.New("cancelled by the test"))
			}
			options, err := json.Marshal(toolhost.Options{Workdir: dir})
			if err != nil {
				t.Fatal(err)
			}
			got, err := toolhost.Unconfined(ctx, sandbox.Call{Tool: row.tool, Args: json.RawMessage(row.args), Options: options}, nil)
			if !strings.Contains(got.Output, row.want) || !strings.Contains(got.Error, row.said) || (got.Error != "") != (row.said != "") {
				t.Errorf("got %+v", got)
			}
			if (err == nil) != (row.fails == "") || err != nil && !strings.Contains(err.Error(), row.fails) {
				t.Errorf("got %v, want %q", err, row.fails)
			}
		})
	}
}
