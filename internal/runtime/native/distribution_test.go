//go:build distribution && unix

package native_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/runtime/guest"
	"github.com/idelchi/aura/internal/runtime/native"
	"github.com/idelchi/aura/shared"
)

var (
	packageClause = regexp.MustCompile(`(?m)^package main\b`)
	mainFunc      = regexp.MustCompile(`(?m)^func\s+main\(\)`)
	ownNames      = regexp.MustCompile(`\bmain\.`)
)

// TestDistribution runs the programs of GOROOT/test as compiled plugins and prints how many behave as in Go.
func TestDistribution(t *testing.T) {
	b := builder(t)
	root, err := exec.CommandContext(t.Context(), b.Toolchain.Go, "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	test := filepath.Join(strings.TrimSpace(string(root)), "test")
	right, all := 0, 0
	for _, sub := range []string{".", "chan", "interface", "ken", "typeparam"} {
		files, err := filepath.Glob(filepath.Join(test, sub, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(text, []byte("// run\n")) || bytes.Contains(text, []byte("\n//go:build ")) {
				continue
			}
			all++
			name, _ := filepath.Rel(test, file)
			if err := distributed(t, b, string(text), strings.TrimSuffix(file, ".go")+".out"); err != nil {
				fmt.Printf("%s: %s\n", name, strings.Join(strings.Fields(err.Error()), " "))
				continue
			}
			right++
		}
	}
	fmt.Printf("compiled: %d of %d right\n", right, all)
}

// distributed runs one program and compares what it prints with a file, if there is one.
func distributed(t *testing.T, b native.Builder, text, file string) error {
	t.Helper()
	want, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	text = packageClause.ReplaceAllLiteralString(text, "package program")
	text = mainFunc.ReplaceAllLiteralString(ownNames.ReplaceAllLiteralString(text, "program."), "func Main()")
	dir := plugin(t, map[string]string{
		"program/program.go": text,
		"main.go": "package greeter\n\nimport \"context\"\nimport \"github.com/idelchi/aura/sdk\"\nimport \"greeter/program\"\n" +
			"\nfunc Command() sdk.CommandSchema { return sdk.CommandSchema{Name: \"all\"} }\n\n" +
			"func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {\n\tprogram.Main()\n\treturn sdk.CommandResult{}, nil\n}\n",
	})
	s, err := native.Read(dir, b.Toolchain, true)
	if err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	p, err := b.Program(s)
	if err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	if err := p.Build(t.Context(), func() {}); err != nil {
		return fmt.Errorf("not built: %w", err)
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(p.Path())) }()
	// Go's files of what programs print hold both streams.
	var out lines
	g, err := guest.Start(shared.Guest{Program: p.Path()}, guest.Options{Name: "greeter", Dir: t.TempDir()}, os.Environ(), &out, &out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		err := g.Serve()
		g.Close()
		ended <- err
	}()
	_, err = g.Load(ctx)
	if err == nil {
		_, err = g.Command(ctx, shared.CommandCall{Name: "all"})
	}
	if ctx.Err() != nil {
		g.Kill()
	}
	how := errors.Join(g.Finish(), <-ended)
	if _, failed := errors.AsType[*shared.Failure](err); err != nil && !failed && strings.Contains(how.Error(), "status 0") {
		err = nil // the program called os.Exit
	}
	wanted := ownNames.ReplaceAllLiteralString(string(want), "program.")
	if err == nil && out.String() != wanted {
		err = fmt.Errorf("it printed %.200q, not %.200q", out.String(), wanted)
	}
	return err
}
