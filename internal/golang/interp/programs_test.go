package interp

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	checker "github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/shared"
)

var update = flag.Bool("update", false, "rewrite the golden files of the programs")

const (
	programFiles = "testdata/programs"
	// goldenFile holds what the programs print when Go compiles them.
	goldenFile = programFiles + "/golden.txt"
	// knownFile lists the programs that do something else as plugins, or that the checker reports although they are right.
	knownFile = programFiles + "/known.txt"
)

// program is one Go program that prints: declarations, among them the function program.
type program struct {
	// name is the name of the archive, a slash and the name in the archive.
	name string
	text string
}

// libraryPath maps the names by which programs refer to packages to import paths.
var libraryPath = func() map[string]string {
	paths := map[string]string{}
	for p := range strings.FieldsSeq("bufio bytes cmp container/heap container/list context encoding/json errors fmt io io/fs iter log/slog maps " +
		"math math/bits os reflect regexp runtime slices sort strconv strings sync sync/atomic text/template time unicode unicode/utf8") {
		paths[path.Base(p)] = p
	}
	return paths
}()

var qualified = regexp.MustCompile(`\b([a-z0-9]+)\.[A-Z]`)

// source returns the file of a package. It imports what the program refers to, unless the program has imports of its own.
func (p program) source(pkg string) string {
	if strings.HasPrefix(p.text, "import ") {
		return "package " + pkg + "\n\n" + p.text
	}
	var imports []string
	for _, m := range qualified.FindAllStringSubmatch(p.text, -1) {
		if known := libraryPath[m[1]]; known != "" {
			imports = append(imports, strconv.Quote(known))
		}
	}
	slices.Sort(imports)
	return "package " + pkg + "\n\nimport (\n" + strings.Join(slices.Compact(imports), "\n") + "\n)\n\n" + p.text
}

// pkg returns a package name that is unique among the programs.
func (p program) pkg() string { return strings.NewReplacer("/", "_", "-", "_").Replace(p.name) }

func readPrograms(t *testing.T) []program {
	t.Helper()
	archives, err := filepath.Glob(programFiles + "/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []program
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + strings.TrimSuffix(f.Name, ".go")
			out = append(out, program{name, string(f.Data)})
		}
	}
	return out
}

// toolchain returns the path of the go command, and ends the test if there is none.
func toolchain(t *testing.T) string {
	t.Helper()
	golang, err := exec.LookPath("go")
	if err != nil {
		testneed.Missing(t, testneed.Toolchain, err)
	}
	return golang
}

// TestProgramsGolden holds the golden output against what the programs print when Go compiles them.
func TestProgramsGolden(t *testing.T) {
	t.Parallel()
	golden(t, goldenFile, compiled(t, readPrograms(t)))
}

// compiled returns what programs print when Go compiles them, each behind a line with its name.
func compiled(t *testing.T, programs []program) string {
	t.Helper()
	return compiledWith(t, programs, "package program\n\nfunc Main() { program() }\n")
}

// compiledWith is compiled with a file that calls each program.
func compiledWith(t *testing.T, programs []program, call string, flags ...string) string {
	t.Helper()
	golang := toolchain(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module programs\n\ngo 1.23\n")
	var imports, calls strings.Builder
	for _, p := range programs {
		write(p.pkg()+"/program.go", p.source("program"))
		write(p.pkg()+"/main.go", call)
		fmt.Fprintf(&imports, "import %s \"programs/%[1]s\"\n", p.pkg())
		fmt.Fprintf(&calls, "\tfmt.Println(\"-- %s --\")\n\t%s.Main()\n", p.name, p.pkg())
	}
	write("main.go", "package main\n\nimport \"fmt\"\n\n"+imports.String()+"\nfunc main() {\n"+calls.String()+"}\n")
	// With -trimpath the build cache serves later runs, which have other directories.
	cmd := exec.CommandContext(t.Context(), golang, append(append([]string{"run", "-trimpath"}, flags...), ".")...) //nolint:gosec // the program is the toolchain
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return string(got)
}

// golden compares a file with the text that it must have, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	have := strings.Split(string(want), "\n")
	lines := strings.Split(got, "\n")
	for _, line := range lines {
		if !slices.Contains(have, line) {
			t.Errorf("%s lacks: %s", file, line)
		}
	}
	for _, line := range have {
		if !slices.Contains(lines, line) {
			t.Errorf("%s has:   %s", file, line)
		}
	}
	t.Errorf("%s is not up to date; to accept the differences, run go test ./internal/golang/interp -run TestPrograms -update", file)
}

// TestPrograms runs the programs as plugins and compares what they print with what Go prints. The file of known differences
// must list exactly the programs that are refused, that the checker reports, or that print something else: neither a loss nor a
// gain goes unnoticed.
func TestPrograms(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(text).Files {
		want[f.Name] = string(f.Data)
	}
	var known strings.Builder
	count := map[string]int{}
	programs := readPrograms(t)
	for _, p := range programs {
		expected, ok := want[p.name]
		if !ok {
			t.Fatalf("%s has no output of %s; run go test ./internal/golang/interp -run TestPrograms -update", goldenFile, p.name)
		}
		class, reason := classify(runProgram(t, p.source("program")), expected)
		count[class]++
		if class != right || reason != "" {
			fmt.Fprintf(&known, "%s: %s: %s\n", p.name, class, reason)
		}
	}
	t.Logf("%d programs: %d right, %d refused, %d found by the checker, %d wrong", len(programs), count[right], count[refused], count[reported], count[wrong])
	golden(t, knownFile, known.String())
}

// The classes of programs.
const (
	right    = "right"
	refused  = "refused"
	reported = "found"
	wrong    = "wrong"
)

// outcome is what happened to a program that was run as a plugin.
type outcome struct {
	output string
	// load is the error by which the plugin was refused, and run the one of the call.
	load, run error
	findings  []checker.Finding
}

// classify returns the class of a program and the reason for it.
func classify(o outcome, want string) (class, reason string) {
	rules := ""
	if len(o.findings) > 0 {
		f := slices.MinFunc(o.findings, func(a, b checker.Finding) int { return cmp.Compare(a.Severity, b.Severity) })
		rules = fmt.Sprintf("%d: %s: %s", f.Line, f.Rule, f.Message)
	}
	switch {
	case o.load != nil:
		return refused, firstLine(o.load.Error())
	case o.run == nil && o.output == want && rules == "":
		return right, ""
	case o.run == nil && o.output == want:
		return right, "false finding: " + rules
	case rules != "":
		return reported, rules
	case o.run != nil:
		return wrong, firstLine(o.run.Error())
	default:
		return wrong, difference(o.output, want)
	}
}

var directory = regexp.MustCompile(`/\S*/`)

// firstLine returns the first line of a text, without directories.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return directory.ReplaceAllString(line, "")
}

var address = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// difference returns the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d is %q", i+1, address.ReplaceAllString(g[i], "0x..."))
		}
	}
	return fmt.Sprintf("%d lines are missing", len(w)-len(g))
}

// programLimit ends a program that does not end by itself.
var programLimit = time.Minute

// runProgram loads the source of a package named program as the plugin host does, and runs its function program.
func runProgram(t *testing.T, text string) outcome {
	t.Helper()
	return runProgramWith(t, text, output(t), output(t))
}

// runProgramWith is runProgram with files that receive what the program prints.
func runProgramWith(t *testing.T, text string, stdout, stderr *os.File) outcome {
	t.Helper()
	dir := unpack(t, `-- go.mod --
module program
-- plugin.yaml --
description: test
-- plugin.go --
package program

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "program", Description: "runs the program"} }

func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	program()
	return sdk.CommandResult{}, nil
}
-- program.go --
`+text)
	o := outcome{findings: checker.Dir(dir, checker.Options{})}
	p, err := Load(Options{Name: "program", Dir: dir, Stdout: stdout, Stderr: stderr})
	if err != nil {
		o.load = err
		return o
	}
	done := make(chan error, 1)
	go func() {
		_, err := p.Command(t.Context(), shared.CommandCall{Name: "program"})
		done <- err
	}()
	select {
	case o.run = <-done:
	case <-time.After(programLimit):
		o.run = fmt.Errorf("did not end within %s", programLimit)
	}
	o.output = read(t, stdout)
	return o
}
