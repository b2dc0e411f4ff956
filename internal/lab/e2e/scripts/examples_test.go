//go:build unix

package scripts

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	commands["example"] = copyExample
	commands["flow"] = checkFlow
	commands["gotify"] = startGotify
	preparations["example"] = preparation{begin: func(*testing.T, string) testscript.Params { return testscript.Params{Setup: setupExample} }}
}

// TestExamplesHaveScripts checks that each plugin of the repository's own .aura has a script, which is named like the plugin and copies it from
// there.
func TestExamplesHaveScripts(t *testing.T) {
	t.Parallel()
	plugins, err := filepath.Glob(filepath.Join(harness.Repo(), ".aura/plugins/*/*/plugin.yaml"))
	if err != nil || len(plugins) == 0 {
		t.Fatalf("%d plugins found, %v", len(plugins), err)
	}
	for _, manifest := range plugins {
		script := filepath.Join(pagesDir, "plugins", filepath.Base(filepath.Dir(manifest))+".txtar")
		if _, err := os.Stat(script); err != nil {
			t.Error(err)
		}
	}
}

// setupExample is setup with the base project's own plugin disabled.
func setupExample(env *testscript.Env) error {
	witness := filepath.Join(env.WorkDir, ".aura/plugins/witness/plugin.yaml")
	if err := os.MkdirAll(filepath.Dir(witness), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(witness, []byte("disabled: true\n"), 0o600); err != nil {
		return err
	}
	return harness.Setup(env)
}

// example NAME copies an example plugin of the repository into the project, as users do.
func copyExample(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: example NAME")
	}
	found, err := filepath.Glob(filepath.Join(harness.Repo(), ".aura/plugins/*", args[0]))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d examples are called %s", len(found), args[0])
	}
	ts.Check(os.CopyFS(ts.MkAbs(".aura/plugins/"+args[0]), os.DirFS(found[0])))
}

// flow EVENTS WANT checks that the events of a run, one line for each relevant event, are those in the file WANT. A line of
// WANT that begins with ~ is a regular expression, and "..." matches any lines without plugin messages and errors.
func checkFlow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flow EVENTS WANT")
	}
	var got []string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e flowEvent
		ts.Check(json.Unmarshal([]byte(line), &e))
		if text := e.line(); text != "" {
			got = append(got, text)
		}
	}
	want := strings.Split(strings.TrimSpace(ts.ReadFile(args[1])), "\n")
	if at := mismatch(want, got); at >= 0 {
		ts.Fatalf("line %d of %s does not fit the events\n  %s", at+1, args[1], strings.Join(got, "\n  "))
	}
}

// flowEvent has the fields of all events that a flow shows.
type flowEvent struct {
	Type, Plugin, Point, Role, Content, Text, Name, Error, Message, Output string

	Eject, Ran, Auto bool
	Number, Messages int
	// Tools is a number in a request and a list in a session.
	Tools any
}

// line returns an event as one line. It returns "" for events that are irrelevant to a flow.
func (e flowEvent) line() string {
	switch e.Type {
	case "message":
		return fmt.Sprintf("%s%s: %s", e.Role, map[bool]string{true: " (auto)"}[e.Auto], flat(e.Content))
	case "injection":
		return fmt.Sprintf("+ %s %s %s%s: %s", e.Plugin, e.Point, e.Role, map[bool]string{true: " once"}[e.Eject], flat(e.Content))
	case "request":
		return fmt.Sprintf("request %d: %d messages%s", e.Number, e.Messages, map[bool]string{true: ", no tools"}[e.Tools == 0.0])
	case "tool_result":
		how := "ok"
		if !e.Ran {
			how = "refused"
		} else if e.Error != "" {
			how = "failed"
		}
		return fmt.Sprintf("%s %s", e.Name, how)
	case "notice":
		return fmt.Sprintf("! %s: %s", e.Plugin, e.Text)
	case "plugin_error", "error":
		return "! error: " + flat(e.Error+e.Message)
	case "command":
		return "/" + e.Name
	default:
		return ""
	}
}

func flat(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// mismatch returns the index of the first wanted line that does not match, or of one that should not be the last; it returns
// -1 if all lines match.
func mismatch(want, got []string) int {
	for i, w := range want {
		if w == "..." {
			if i+1 == len(want) {
				got = got[quiet(got):]
				break
			}
			n := slices.IndexFunc(got, func(line string) bool { return fits(want[i+1], line) })
			if n < 0 || quiet(got) < n {
				return i + 1
			}
			got = got[n:]
			continue
		}
		if len(got) == 0 || !fits(w, got[0]) {
			return i
		}
		got = got[1:]
	}
	if len(got) > 0 {
		return len(want) - 1
	}
	return -1
}

// TestMismatch checks that a wrong flow of events is found.
func TestMismatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want, got string
		at        int
	}{
		{"a,b", "a,b", -1},
		{"a,~^b+$", "a,bbb", -1},
		{"a,...,c", "a,b,b,c", -1},
		{"a,...", "a,b,c", -1},
		{"...,c", "c", -1},
		{"a,c", "a,b", 1},
		{"a,b", "a", 1},
		{"a", "a,b", 0},
		{"a,...,d", "a,b,c", 2},
		{"a,...,c", "a,+ b,c", 2},
		{"a,...,c", "a,! b,c", 2},
		{"a,...,+ b,c", "a,b,+ b,c", -1},
		{"a,...", "a,b,+ c", 1},
	} {
		if at := mismatch(strings.Split(tt.want, ","), strings.Split(tt.got, ",")); at != tt.at {
			t.Errorf("%q and %q: %d, want %d", tt.want, tt.got, at, tt.at)
		}
	}
}

// quiet returns the number of lines before the first line with a plugin message or an error.
func quiet(lines []string) int {
	n := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "+ ") || strings.HasPrefix(line, "! ") })
	if n < 0 {
		return len(lines)
	}
	return n
}

// gotify FILE starts a server that accepts notifications like Gotify, sets SERVER to its address and writes received
// notifications to the file. It refuses every token except "secret".
func startGotify(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gotify FILE")
	}
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodPost || r.URL.Path != "/message" || r.Header.Get("Content-Type") != "application/json":
			http.NotFound(w, r)
		case r.Header.Get("X-Gotify-Key") != "secret":
			http.Error(w, `{"error":"Unauthorized"}`, http.StatusUnauthorized)
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			fmt.Fprintf(file, "%s\n", body)
			fmt.Fprint(w, `{"id":1}`)
		}
	}))
	ts.Setenv("SERVER", server.URL)
	ts.Defer(func() {
		server.Close()
		_ = file.Close()
	})
}
