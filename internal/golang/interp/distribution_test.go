//go:build distribution

package interp

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// distributed names the directories of GOROOT/test whose programs are run.
var distributed = []string{".", "chan", "interface", "ken", "typeparam"}

// TestDistribution runs the programs of GOROOT/test as plugins and prints how many behave as in Go. Each runs in a process of
// its own, because some end it or never end.
func TestDistribution(t *testing.T) {
	if file := os.Getenv(distributionFile); file != "" {
		if os.Getenv(distributionBare) != "" {
			runBare(t, file)
			return
		}
		runDistributed(t, file)
		return
	}
	root, err := exec.CommandContext(t.Context(), toolchain(t), "env", "GOROOT").Output() //nolint:gosec // the program is the toolchain
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "test")
	if _, err := os.Stat(dir); err != nil {
		fmt.Printf("%s is not part of this Go installation\n", dir)
		return
	}
	count := map[string]int{}
	slow, flagged, lost := 0, 0, map[string]int{}
	for _, sub := range distributed {
		files, err := filepath.Glob(filepath.Join(dir, sub, "*.go"))
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
			began := time.Now()
			class, reason := distributedClass(t, file)
			count[class]++
			name, _ := filepath.Rel(dir, file)
			if class != right {
				// Lowering must take nothing away.
				if bare, _ := distributedClass(t, file, distributionBare+"=1"); bare == right {
					lost[class]++
					reason += " (the bare interpreter gets it right)"
				}
			}
			if class != right || reason != "" {
				fmt.Printf("%s: %s: %s\n", name, class, reason)
			}
			if class == right && reason != "" {
				flagged++
			}
			if d := time.Since(began); class == right && d > time.Minute {
				slow++
				fmt.Printf("%s: right after %s\n", name, d.Round(time.Second))
			}
		}
	}
	fmt.Printf("%d right, %d refused, %d found by the checker, %d silently wrong\n", count[right], count[refused], count[reported], count[wrong])
	fmt.Printf("the bare interpreter gets right: %d of the refused, %d of the found, %d of the silently wrong ones\n", lost[refused], lost[reported], lost[wrong])
	fmt.Printf("of the right ones, %d took more than a minute, and the checker reports %d\n", slow, flagged)
}

// distributionFile is the variable that names the program for the process that runs it. distributionBare asks for the bare
// interpreter.
const (
	distributionFile = "AURA_TEST_DISTRIBUTION_FILE"
	distributionBare = "AURA_TEST_DISTRIBUTION_BARE"
)

var verdict = regexp.MustCompile(`(?m)^verdict (\w+): (.*)$`)

// distributedClass runs one program in a process of its own.
func distributedClass(t *testing.T, file string, env ...string) (class, reason string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDistribution$", "-test.timeout=16m") //nolint:gosec // the test itself
	cmd.Env = append(append(os.Environ(), distributionFile+"="+file), env...)
	out, err := cmd.CombinedOutput()
	if m := verdict.FindStringSubmatch(string(out)); m != nil {
		return m[1], m[2]
	}
	return wrong, fmt.Sprint("the process ended: ", err)
}

// traced matches the lines that the interpreter writes for a panic.
var traced = regexp.MustCompile(`(?m)^\S+\.go:\d+: panic.*\n`)

// exited matches what it writes when a program ends by os.Exit.
var exited = regexp.MustCompile(`(?ms)^\S+\.go:\d+: panic.*|^panic in ExecuteCommand.*|^\S*\(.*os\.Exit.*`)

var ownNames = regexp.MustCompile(`\bmain\.`)

// initName matches the name of a function that aura would call, and check with it. The programs are no plugins, so theirs gets another name.
var initName = regexp.MustCompile(`\bInit\b`)

var mainFunc = regexp.MustCompile(`(?m)^func\s+main\(\)`)

func runDistributed(t *testing.T, file string) {
	t.Helper()
	// Some compute for minutes where compiled code takes seconds.
	programLimit = 15 * time.Minute
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	at := set.Position(parsed.Name.Pos()).Offset
	text = slices.Concat(text[:at], []byte("program"), text[at+len("main"):])
	// Some know the name of their package.
	text, want = ownNames.ReplaceAll(text, []byte("program.")), ownNames.ReplaceAll(want, []byte("program."))
	text = initName.ReplaceAll(text, []byte("Init1"))
	// Go's files of what programs print hold both streams.
	out := output(t)
	o := runProgramWith(t, string(mainFunc.ReplaceAll(text, []byte("func program()"))), out, out)
	if o.run != nil && strings.HasPrefix(o.run.Error(), "os.Exit(0)") {
		o.run = nil
		o.output = exited.ReplaceAllString(o.output, "")
	}
	o.output = traced.ReplaceAllString(o.output, "")
	class, reason := classify(o, string(want))
	fmt.Printf("verdict %s: %s\n", class, reason)
}

// runBare runs a program by the interpreter alone.
func runBare(t *testing.T, file string) {
	t.Helper()
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	i := interp.New(interp.Options{Stdout: &out, Stderr: &out})
	if err := i.Use(stdlib.Symbols); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("%v", v)
			}
		}()
		_, err := i.EvalPath(file)
		done <- err
	}()
	select {
	case err = <-done:
	case <-time.After(time.Minute):
		err = fmt.Errorf("did not end")
	}
	if err != nil && strings.Contains(err.Error(), "os.Exit(0)") {
		err = nil
		out.Reset()
		out.Write(want)
	}
	class := right
	if err != nil || traced.ReplaceAllString(out.String(), "") != string(want) {
		class = wrong
	}
	fmt.Printf("verdict %s: %v\n", class, err)
}
