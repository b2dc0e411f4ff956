package readguard_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/sdk"
)

// fake is a tool that is not a tool.Pather.
type fake struct {
	source tool.Source
	run    func(tool.Call) error
}

func (f fake) Definition() tool.Definition { return tool.Definition{Name: "Fake", Source: f.source} }

func (f fake) Execute(_ context.Context, call tool.Call) (string, error) { return "ran", f.run(call) }

// pather is a fake tool that is a tool.Pather.
type pather struct {
	fake

	paths sdk.ToolPaths
	err   error
}

func (p pather) Paths(context.Context, map[string]any) (sdk.ToolPaths, error) { return p.paths, p.err }

func TestGuarded(t *testing.T) {
	t.Parallel()
	f := []string{"f"}
	on := readguard.Rules{Write: true}
	tests := []struct {
		name  string
		paths sdk.ToolPaths
		rules readguard.Rules
		// plugin means that the tool is a plugin's; otherwise it is built in.
		plugin bool
		// known means that the files were seen before. written is what the tool writes to f. fails makes the tool fail.
		known   bool
		written string
		fails   bool
		// refused is a part of the error that keeps the tool from running. after is a part of the final error of the guard of
		// f.
		refused, after string
	}{
		{name: "nothing named", rules: on, after: "not been read"},
		{name: "record", paths: sdk.ToolPaths{Read: f, Record: f}, rules: on},
		{name: "record of a failure", paths: sdk.ToolPaths{Read: f, Record: f}, rules: on, fails: true, after: "not been read"},
		{name: "reading is not seeing", paths: sdk.ToolPaths{Read: f}, rules: on, after: "not been read"},
		{name: "guard", paths: sdk.ToolPaths{Write: f, Guard: f}, rules: on, refused: "f exists and has not been read", after: "not been read"},
		{name: "guard of what is known", paths: sdk.ToolPaths{Write: f, Guard: f}, rules: on, known: true},
		{name: "guard switched off", paths: sdk.ToolPaths{Write: f, Guard: f}, after: "not been read"},
		{name: "writing without a guard", paths: sdk.ToolPaths{Write: f}, rules: on, after: "not been read"},
		{name: "own change", paths: sdk.ToolPaths{Write: f, Guard: f, Record: f}, rules: on, known: true, written: "b"},
		{name: "own change of what is known", paths: sdk.ToolPaths{Write: f, Guard: f}, rules: on, known: true, written: "b"},
		{name: "own change without a guard", paths: sdk.ToolPaths{Write: f}, rules: on, known: true, written: "b"},
		{name: "own change of what is unknown", paths: sdk.ToolPaths{Write: f}, rules: on, written: "b", after: "not been read"},
		{name: "own change that failed", paths: sdk.ToolPaths{Write: f, Guard: f}, rules: on, known: true, written: "b", fails: true, after: "changed on disk"},
		{name: "own change that clears", paths: sdk.ToolPaths{Write: f, Clear: f}, rules: on, known: true, written: "b", after: "not been read"},
		{name: "a foreign change", paths: sdk.ToolPaths{Read: f}, rules: on, known: true, written: "b", after: "changed on disk"},
		{name: "a change while it is read", paths: sdk.ToolPaths{Read: f, Record: f}, rules: on, written: "b", after: "changed on disk"},
		{name: "clear", paths: sdk.ToolPaths{Write: f, Clear: f}, rules: on, known: true, after: "not been read"},
		{name: "clear of a failure", paths: sdk.ToolPaths{Write: f, Clear: f}, rules: on, known: true, fails: true},
		{name: "clear wins over record", paths: sdk.ToolPaths{Record: f, Clear: f}, rules: on, after: "not been read"},
		{name: "deletion by a plugin", plugin: true, paths: sdk.ToolPaths{Write: f, Guard: f, Clear: f}, rules: on, refused: "not been read", after: "not been read"},
		{name: "deletion of what is known by a plugin", plugin: true, paths: sdk.ToolPaths{Write: f, Guard: f, Clear: f}, rules: on, known: true, after: "not been read"},
		{name: "deletion by a plugin, guard switched off", plugin: true, paths: sdk.ToolPaths{Write: f, Guard: f, Clear: f}, after: "not been read"},
		{name: "deletion is not writing", paths: sdk.ToolPaths{Write: f, Guard: f, Clear: f}, rules: on, after: "not been read"},
		{name: "deletion", paths: sdk.ToolPaths{Write: f, Guard: f, Clear: f}, rules: readguard.Rules{Delete: true}, refused: "not been read", after: "not been read"},
		{name: "moving is writing", paths: sdk.ToolPaths{Read: f, Write: f, Guard: f, Clear: f}, rules: on, refused: "not been read", after: "not been read"},
		{name: "an empty path", paths: sdk.ToolPaths{Guard: []string{""}, Record: []string{""}}, rules: on, after: "not been read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "f"), "a")
			files := readguard.New(dir)
			if tt.known {
				if err := files.Record("f"); err != nil {
					t.Fatal(err)
				}
			}
			ran := false
			source := tool.SourceBuiltin
			if tt.plugin {
				source = tool.SourcePlugin
			}
			inner := pather{paths: tt.paths, fake: fake{source, func(call tool.Call) error {
				ran = true
				if tt.written != "" {
					put(t, filepath.Join(dir, "f"), tt.written)
				}
				if call.Paths == nil || !reflect.DeepEqual(*call.Paths, files.Absolute(tt.paths)) {
					t.Errorf("the tool was told %+v", call.Paths)
				}
				if tt.fails {
					return errors.New("no luck")
				}
				return nil
			}}}
			_, err := readguard.Guarded(inner, files, tt.rules).Execute(t.Context(), tool.Call{})
			if ran != (tt.refused == "") || (err != nil) != (tt.fails || !ran) || !ran && !strings.Contains(err.Error(), tt.refused) {
				t.Errorf("ran: %v, %v", ran, err)
			}
			err = files.Guard("f")
			if tt.after == "" && err != nil || tt.after != "" && (err == nil || !strings.Contains(err.Error(), tt.after)) {
				t.Errorf("afterwards %v, want %q", err, tt.after)
			}
		})
	}
}

func TestGuardedKeepsTheTool(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files, other := readguard.New(dir), readguard.New(dir)
	nop := fake{run: func(tool.Call) error { return nil }}
	if got, ok := readguard.Guarded(nop, files, readguard.Rules{}).(fake); !ok {
		t.Errorf("a tool without files became %T", got)
	}
	named := pather{fake: nop, paths: sdk.ToolPaths{Read: []string{"f", ""}}}
	if got, ok := readguard.Guarded(named, nil, readguard.Rules{}).(pather); !ok {
		t.Errorf("without a record the tool became %T", got)
	}
	g := readguard.Guarded(named, files, readguard.Rules{})
	paths, err := g.(tool.Pather).Paths(t.Context(), nil)
	if want := (sdk.ToolPaths{Read: []string{filepath.Join(dir, "f")}}); err != nil || !reflect.DeepEqual(paths, want) {
		t.Errorf("got %+v, %v", paths, err)
	}
	if _, ok := tool.As[pather](g); !ok {
		t.Error("the tool inside is lost")
	}
	again := readguard.Guarded(g, files, readguard.Rules{Write: true})
	if _, ok := again.(tool.Wrapper).Unwrap().(pather); !ok {
		t.Error("guarded twice by the same record")
	}
	if _, ok := readguard.Guarded(g, other, readguard.Rules{}).(tool.Wrapper).Unwrap().(pather); ok {
		t.Error("one record took the place of another")
	}
	broken := readguard.Guarded(pather{fake: nop, err: errors.New("ouch")}, files, readguard.Rules{})
	if out, err := broken.Execute(t.Context(), tool.Call{}); err == nil || out != "" || !strings.Contains(err.Error(), "finding out which files Fake would touch: ouch") {
		t.Errorf("got %q, %v", out, err)
	}
	asked := sdk.ToolPaths{Record: []string{"f"}}
	put(t, filepath.Join(dir, "f"), "a")
	if _, err := broken.Execute(t.Context(), tool.Call{Paths: &asked}); err != nil || files.Guard("f") != nil {
		t.Errorf("paths that were given did not count: %v", err)
	}
}
