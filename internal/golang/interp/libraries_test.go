//go:build libraries

package interp

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/shared"
)

// libraryList names the libraries.
const libraryList = "testdata/libraries.txt"

// libraryKnown lists the tests that pass in Go and not as plugins: package, test, and the reason.
const libraryKnown = "testdata/libraries-known.txt"

// knownFailures returns the listed tests, each as its package, a space and its name, with the reasons.
func knownFailures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(libraryKnown)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		pkg, rest, found := strings.Cut(strings.TrimSpace(line), " ")
		name, reason, explained := strings.Cut(rest, " ")
		if pkg == "#" || pkg == "" {
			continue
		}
		if !found || !explained {
			t.Fatalf("%s: a line is a package, a test and a reason: %s", libraryKnown, line)
		}
		out[pkg+" "+name] = reason
	}
	return out
}

// The variables of the process that runs the tests of one package: the plugin's directory, the directory in which the tests run, and the
// names of the tests that are left out.
const (
	libraryDir  = "AURA_TEST_LIBRARY_DIR"
	libraryCwd  = "AURA_TEST_LIBRARY_CWD"
	librarySkip = "AURA_TEST_LIBRARY_SKIP"
)

// librariesLike is a pattern of the libraries that are run; empty for all.
const librariesLike = "AURA_TEST_LIBRARIES"

// libraryLog names a file to which all that the tests print is added, and libraryKeep a directory to which the last plugin is copied.
const (
	libraryLog  = "AURA_TEST_LIBRARY_LOG"
	libraryKeep = "AURA_TEST_LIBRARY_KEEP"
)

// packageLimit ends a package whose tests do not end, in both runtimes. AURA_TEST_LIBRARY_LIMIT sets another one.
var packageLimit = func() time.Duration {
	if limit, err := time.ParseDuration(os.Getenv("AURA_TEST_LIBRARY_LIMIT")); err == nil {
		return limit
	}
	return 5 * time.Minute
}()

// TestLibraries runs the tests of libraries as plugins, beside Go, and prints the share that passes. The sources come from the module
// proxy. A test that Go does not pass, or skips, and fuzz targets are not counted.
func TestLibraries(t *testing.T) {
	if dir := os.Getenv(libraryDir); dir != "" {
		runLibrary(t, dir)
		return
	}
	golang := toolchain(t)
	text, err := os.ReadFile(libraryList)
	if err != nil {
		t.Fatal(err)
	}
	like := regexp.MustCompile(os.Getenv(librariesLike))
	passed, all, whole, libraries := 0, 0, 0, 0
	known := knownFailures(t)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] == "#" || !like.MatchString(fields[0]) {
			continue
		}
		p, n := testLibrary(t, golang, known, fields[0], fields[1], append(fields[2:], ".")[:max(1, len(fields)-2)])
		passed, all = passed+p, all+n
		libraries++
		if p == n && n > 0 {
			whole++
		}
	}
	fmt.Printf("%d libraries, %d without a difference; %d of %d tests pass (%.1f %%)\n", libraries, whole, passed, all, 100*float64(passed)/float64(max(all, 1)))
}

// testLibrary runs the tests of a module's packages and returns how many of those that pass in Go pass as a plugin.
func testLibrary(t *testing.T, golang string, known map[string]string, module, version string, packages []string) (passed, all int) {
	t.Helper()
	work := t.TempDir()
	m := modules{golang: golang, dir: work}
	if err := m.require(t, module, version, packages); err != nil {
		fmt.Printf("%s: not tested: %v\n", module, err)
		return 0, 0
	}
	for _, sub := range packages {
		pkg := path.Join(module, sub)
		began := time.Now()
		want, err := m.test(t, pkg)
		if err != nil {
			fmt.Printf("%s: not tested: %v\n", pkg, err)
			continue
		}
		golangTook := time.Since(began)
		got := interpretedResults(t, m, pkg)
		p, n := 0, 0
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if want[name] != "PASS" || strings.HasPrefix(name, "Fuzz") {
				continue
			}
			n++
			if got.results[name] == "PASS" {
				p++
				continue
			}
			if listed := known[pkg+" "+name]; listed != "" {
				fmt.Printf("%s: %s: listed: %s\n", pkg, name, listed)
				continue
			}
			t.Errorf("%s: %s: not listed in %s: %s", pkg, name, libraryKnown, cmp.Or(got.reasons[name], got.results[name], got.failure, "did not run"))
		}
		fmt.Printf("%s: %d of %d tests pass (%s, in Go with compiling %s) %s\n", pkg, p, n, time.Since(began)-golangTook, golangTook, got.failure)
		passed, all = passed+p, all+n
	}
	return passed, all
}

// libraryResults is what happened to the tests of a package.
type libraryResults struct {
	// results holds PASS, FAIL or SKIP by the names of tests, and reasons a line for those that fail.
	results, reasons map[string]string
	// failure is why the package as a whole was not run.
	failure string
}

// interpretedResults runs the tests of a package as a plugin.
func interpretedResults(t *testing.T, m modules, pkg string) libraryResults {
	t.Helper()
	out := libraryResults{results: map[string]string{}, reasons: map[string]string{}}
	plugin, cwd, err := m.plugin(t, pkg)
	if err != nil {
		out.failure = err.Error()
		return out
	}
	if dir := os.Getenv(libraryKeep); dir != "" {
		_ = os.RemoveAll(dir)
		_ = os.CopyFS(dir, os.DirFS(plugin.dir))
	}
	if out.failure = plugin.fit(t, out.reasons); out.failure != "" {
		return out
	}
	// A panic ends the process. The tests that were not run before it are run by another process.
	for range 100 {
		ended := runTests(t, plugin.dir, cwd, &out)
		if ended == "" {
			return out
		}
	}
	return out
}

var (
	testResult = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`)
	testRun    = regexp.MustCompile(`(?m)^=== (?:RUN|CONT) +([^\s/]+)$`)
	testPanic  = regexp.MustCompile(`(?m)^(?:panic: |fatal error: |runtime: goroutine stack exceeds)(.*)$`)
)

// runTests runs the tests without a result in a process of their own. It returns the test that ended the process, or nothing.
func runTests(t *testing.T, dir, cwd string, out *libraryResults) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), packageLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestLibraries$", "-test.v", "-test.timeout=30m") //nolint:gosec // the test itself
	cmd.Env = append(os.Environ(), libraryDir+"="+dir, libraryCwd+"="+cwd, librarySkip+"="+strings.Join(slices.Sorted(maps.Keys(out.results)), " "))
	printed, err := cmd.CombinedOutput()
	if f, err := os.OpenFile(os.Getenv(libraryLog), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.Write(printed)
		_ = f.Close()
	}
	text := string(printed)
	if _, refused, found := strings.Cut(text, "libtest refused: "); found {
		out.failure, _, _ = strings.Cut(strings.ReplaceAll(refused, dir+string(filepath.Separator), ""), "\n")
		return ""
	}
	inner, _, complete := strings.Cut(text, "libtest ended")
	if _, after, found := strings.Cut(inner, "libtest began"); found {
		inner = after
	}
	before := len(out.results)
	for _, match := range testResult.FindAllStringSubmatchIndex(inner, -1) {
		result, name := inner[match[2]:match[3]], inner[match[4]:match[5]]
		if name != "TestLibraries" {
			out.results[name] = result
			if result == "FAIL" {
				out.reasons[name] = failedLine(inner, name, match[0])
			}
		}
	}
	if complete {
		return ""
	}
	ended := "the process"
	for _, match := range testRun.FindAllStringSubmatch(inner, -1) {
		if out.results[match[1]] == "" || out.results[match[1]] == "FAIL" {
			ended = match[1]
		}
	}
	reason := "panic: " + lastMatch(testPanic, text)
	if ctx.Err() != nil {
		reason = fmt.Sprintf("did not end within %s", packageLimit)
	} else if reason == "panic: " {
		reason = fmt.Sprintf("the process ended: %v: %s", err, lastLine(text))
	}
	if ended == "the process" && len(out.results) == before {
		out.failure = reason
		return ""
	}
	out.results[ended], out.reasons[ended] = "FAIL", reason
	return ended
}

// failedLine returns the first line that a failed test logged.
func failedLine(text, name string, at int) string {
	lines := strings.Split(text[at:], "\n")
	for _, line := range lines[1:] {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "=== ") {
			return line
		}
		if strings.HasPrefix(line, "=== RUN") {
			break
		}
	}
	// With -test.v the lines come before the result.
	before := text[:at]
	if i := strings.LastIndex(before, "=== RUN   "+name+"\n"); i >= 0 {
		for line := range strings.Lines(before[i:]) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "--- ") {
				return line
			}
		}
	}
	return "FAIL"
}

func lastMatch(pattern *regexp.Regexp, text string) string {
	if m := pattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// runLibrary runs the tests of a package. It is the process of its own.
func runLibrary(t *testing.T, dir string) {
	t.Helper()
	stdout := output(t)
	// The tests may define flags with the names of this program's.
	flag.CommandLine = flag.NewFlagSet("libtest", flag.ContinueOnError)
	if err := flag.CommandLine.Parse(nil); err != nil {
		t.Fatal(err)
	}
	p, err := Load(Options{Name: "libtest", Dir: dir, Unsafe: true, Stdout: stdout, Stderr: os.Stderr})
	if err != nil {
		fmt.Printf("libtest refused: %v\n", err)
		return
	}
	if err := os.Chdir(os.Getenv(libraryCwd)); err != nil {
		t.Fatal(err)
	}
	debug.SetMaxStack(256 << 20)
	fmt.Println("libtest began")
	_, err = p.Command(t.Context(), shared.CommandCall{Name: "libtest", Args: os.Getenv(librarySkip)})
	if err != nil {
		fmt.Printf("panic: %v\n", err)
		return
	}
	printed := read(t, stdout)
	for name, failure := range failedExamples(printed) {
		fmt.Printf("\n--- %s: %s\n", cmp.Or(failure, "PASS"), name)
	}
	// What the tests print themselves is for who reads the log.
	fmt.Println("libtest ended\n" + printed)
}

// failedExamples compares what examples printed with what they should have printed. Both are part of the text.
func failedExamples(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, exampleBegins) {
		head, rest, found := strings.Cut(part, exampleWants)
		want, got, printed := strings.Cut(rest, exampleHas)
		if !found || !printed {
			continue
		}
		name, unordered := strings.CutSuffix(strings.TrimSpace(head), " unordered")
		got, _, _ = strings.Cut(got, exampleEnds)
		got, want = strings.TrimSpace(got), strings.TrimSpace(want)
		if unordered {
			got, want = sortedLines(got), sortedLines(want)
		}
		out[name] = ""
		if got != want {
			out[name] = "FAIL"
			fmt.Printf("=== RUN   %s\n\tthe example printed %.300q, want %.300q\n", name, got, want)
		}
	}
	return out
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// The marks in what the examples print.
const (
	exampleBegins = "\n\x01begins "
	exampleWants  = "\n\x01wants\n"
	exampleHas    = "\n\x01has\n"
	exampleEnds   = "\n\x01ends\n"
)

// absolute returns a path below a directory for an import path.
func absolute(dir, importPath string) string {
	return filepath.Join(dir, filepath.FromSlash(importPath))
}
