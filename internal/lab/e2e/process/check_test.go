//go:build linux

package process

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// construct is a plugin that shows one construct that the bare interpreter refuses, crashes on or gets wrong. The plugin's command
// has the plugin's name; it prints the name and its result.
type construct struct {
	name   string
	source string
	// interpreter is the result in aura: "load: REGEXP", "panic: REGEXP", "hang" or "prints: TEXT".
	interpreter string
	// compiled is the result in Go; it is empty if the source is not valid Go.
	compiled string
}

func corpus(t *testing.T) []construct {
	t.Helper()
	files, err := filepath.Glob("../../../author/check/testdata/corpus/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d plugins in the corpus, %v", len(files), err)
	}
	var list []construct
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := construct{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), source: string(archive.Files[0].Data)}
		for line := range strings.Lines(string(archive.Comment)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "interpreter":
				c.interpreter = value
			case "go":
				c.compiled = value
			}
		}
		list = append(list, c)
	}
	return list
}

// TestCheckCorpus shows that each construct does in the real aura what it does in Go, or that check finds it at its place and the
// loader refuses it.
func TestCheckCorpus(t *testing.T) {
	t.Parallel()
	all := corpus(t)
	p := harness.NewProject(t)
	for _, c := range all {
		p.Plugin(c.name, "description: "+c.name+"\n", c.source)
	}
	t.Run("is found", func(t *testing.T) { isFound(t, p, all) })
	t.Run("runs", func(t *testing.T) { runs(t, p, all) })
	t.Run("goes right in Go", func(t *testing.T) { goesRight(t, all) })
}

var wantComment = regexp.MustCompile(`// want ([\w-]+)`)

// isFound checks all plugins at once and compares the findings with the comments in their source.
func isFound(t *testing.T, p *harness.Project, all []construct) {
	t.Helper()
	cmd := p.Command("plugins", "check", "--json")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || errs.Len() > 0 {
		t.Fatalf("checking: %v\n%s", err, errs.Bytes())
	}
	var found []struct {
		Plugin, File, Severity, Rule, Message, Fix string
		Line, Column                               int
	}
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, f := range found {
		got[f.Plugin] = append(got[f.Plugin], fmt.Sprintf("%s:%d %s", filepath.Base(f.File), f.Line, f.Rule))
	}
	for _, c := range all {
		var want []string
		for i, line := range strings.Split(c.source, "\n") {
			for _, m := range wantComment.FindAllStringSubmatch(line, -1) {
				want = append(want, fmt.Sprintf("main.go:%d %s", i+1, m[1]))
			}
		}
		if !slices.Equal(got[c.name], want) {
			t.Errorf("%s: got %v, want %v", c.name, got[c.name], want)
		}
	}
}

// runs runs the commands of all plugins, in groups.
func runs(t *testing.T, p *harness.Project, all []construct) {
	t.Helper()
	for group := range slices.Chunk(all, 18) {
		names := []string{"run"}
		for _, c := range all {
			manifest := "disabled: true\n"
			if slices.Contains(group, c) {
				manifest = map[bool]string{true: "timeout: 1s\n", false: "timeout: 60s\n"}[c.interpreter == "hang"]
				names = append(names, "/"+c.name)
			}
			p.Write(".aura/plugins/"+c.name+"/plugin.yaml", manifest)
		}
		p.Start(names...).Wait()
		for _, c := range group {
			observe(t, c, string(p.Stdout()), string(p.Stderr()))
		}
	}
}

// observe searches the output of the session for the result of a plugin.
func observe(t *testing.T, c construct, out, errs string) {
	t.Helper()
	kind, what, _ := strings.Cut(c.interpreter, ": ")
	var pattern string
	text := errs
	switch kind {
	case "load":
		pattern = `plugin "` + c.name + `": loading: .*` + what
	case "panic":
		pattern = c.name + `\b.*panic.*` + what
	case "hang":
		pattern = c.name + `\b.*1s`
	case "prints":
		pattern, text = `(?m)^`+c.name+"="+regexp.QuoteMeta(what), out
	default:
		t.Fatalf("%s: interpreter %q", c.name, c.interpreter)
	}
	if !regexp.MustCompile(pattern).MatchString(text) {
		t.Errorf("%s: no %s in\n%s", c.name, pattern, excerpt(errs+out, c.name))
	}
	if kind == "prints" && what != c.compiled {
		t.Errorf("%s: Go prints %q", c.name, c.compiled)
	}
}

// excerpt returns the lines of a text that mention a plugin.
func excerpt(text, name string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, name) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// goesRight compiles all plugins that are valid Go into one program and compares their results.
func goesRight(t *testing.T, all []construct) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module corpus\n\ngo 1.26\n\nrequire github.com/idelchi/aura/sdk v0.1.0\n\nreplace github.com/idelchi/aura/sdk => "+harness.Repo()+"/sdk\n")
	var imports, calls strings.Builder
	for _, c := range all {
		if c.compiled == "" {
			continue
		}
		pkg := strings.ReplaceAll(c.name, "-", "_")
		write(c.name+"/main.go", c.source)
		fmt.Fprintf(&imports, "\t%s %q\n", pkg, "corpus/"+c.name)
		fmt.Fprintf(&calls, "\tcall(%s.ExecuteCommand)\n", pkg)
	}
	write("main.go", `package main

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
`+imports.String()+`)

func call(f func(context.Context, string, sdk.Context) (sdk.CommandResult, error)) {
	result, _ := f(context.Background(), "", sdk.Context{})
	fmt.Println(result.Output)
}

func main() {
`+calls.String()+"}\n")
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("compiling the corpus: %v\n%s", err, out)
	}
	for _, c := range all {
		if c.compiled != "" && !strings.Contains("\n"+string(out), "\n"+c.name+"="+c.compiled+"\n") {
			t.Errorf("%s: Go does not print %s\n%s", c.name, c.compiled, excerpt(string(out), c.name))
		}
	}
}
