//go:build unix

package scripts

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/cli"
)

func init() {
	commands["everycommand"] = everyCommand
}

// everyCommand TABLE FAULTS runs the command lines of a table, and fails if a command of aura has none. A line is "CODE ARGS...": the exit code
// that is expected, with "/quiet" for one that does not read the files although it takes the flags of those that do, or "start" for a command
// that starts a session. FAULTS has a part of each message about what is broken. A command that
// starts a session fails with these messages. A command that reads the configuration shows them. None is an error of another command.
func everyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: everycommand TABLE FAULTS")
	}
	faults := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	reads := readers(cli.Describe(), map[string]bool{})
	var tried, wrong []string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		path := commandOf(reads, fields[1:])
		tried = append(tried, path)
		if text := tryBroken(ts, fields[0], fields[1:], reads[path], faults); text != "" {
			wrong = append(wrong, text)
		}
	}
	for path := range reads {
		if !slices.Contains(tried, path) {
			wrong = append(wrong, fmt.Sprintf("%s has no line for %q: write one with its exit code in a home in which something of each kind is broken", args[0], path))
		}
	}
	if len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}

// readers maps the paths of a command and of those below it, without the program's name, to whether they read the configuration: they then
// take the flags for consent.
func readers(d cli.Description, out map[string]bool) map[string]bool {
	_, path, _ := strings.Cut(d.Path, " ")
	out[path] = slices.ContainsFunc(slices.Concat(d.Flags, d.GlobalFlags), func(f cli.FlagDescription) bool { return f.Name == "--trust" })
	for _, below := range d.Commands {
		readers(below, out)
	}
	return out
}

// commandOf returns the path of the command that a command line names.
func commandOf(paths map[string]bool, args []string) string {
	for n := len(args); n > 0; n-- {
		if path := strings.Join(args[:n], " "); mapHas(paths, path) {
			return path
		}
	}
	return ""
}

func mapHas(m map[string]bool, key string) bool {
	_, ok := m[key]
	return ok
}

// tryBroken runs one command line and returns what is wrong with its exit code or with the faults that it names. The command that starts a
// session names the first.
func tryBroken(ts *testscript.TestScript, want string, args []string, reads bool, faults []string) string {
	code := 0
	err := ts.Exec("aura", args...)
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v: %v", args, err)
	}
	stderr := ts.ReadFile("stderr")
	all := ts.ReadFile("stdout") + stderr
	start := want == "start"
	if start {
		want, faults = "1", faults[:1]
	}
	want, quiet := strings.CutSuffix(want, "/quiet")
	missing := slices.DeleteFunc(slices.Clone(faults), func(part string) bool { return !reads || quiet || strings.Contains(all, part) })
	refused := strings.Contains(stderr, "aura: loading configuration")
	if strconv.Itoa(code) == want && refused == start && len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("aura %s: exit code %d, want %s; not named: %q; refused to read the configuration: %t\n%s", strings.Join(args, " "), code, want, missing, refused, all)
}
