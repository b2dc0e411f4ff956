//go:build unix

package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/hooks"
)

// runner returns a Runner with the given hooks, in a temporary directory.
func runner(tb testing.TB, defs ...hooks.Definition) hooks.Runner {
	tb.Helper()
	r, err := hooks.Compile(defs)
	if err != nil {
		tb.Fatal(err)
	}
	if r.Executable, err = os.Executable(); err != nil {
		tb.Fatal(err)
	}
	if r.Dir, err = filepath.EvalSymlinks(tb.TempDir()); err != nil {
		tb.Fatal(err)
	}
	// The results must not depend on the load of the machine.
	for _, entries := range [][]hooks.Entry{r.Pre, r.Post} {
		for i := range entries {
			if entries[i].Timeout == hooks.DefaultTimeout {
				entries[i].Timeout = 5 * time.Minute
			}
		}
	}
	r.Env = append(os.Environ(), "FILE=from outside", "FILES=from outside")
	return r
}

func hook(event, command string) hooks.Definition {
	return hooks.Definition{Name: "h", Event: event, Command: command}
}

// run runs the hooks of one event.
func run(tb testing.TB, r hooks.Runner, event string, c hooks.Call) hooks.Outcome {
	tb.Helper()
	work := r.RunPost
	if event == hooks.EventPre {
		work = r.RunPre
	}
	out, err := work(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestZeroRunner(t *testing.T) {
	t.Parallel()
	var r hooks.Runner
	for _, event := range []string{hooks.EventPre, hooks.EventPost} {
		if out := run(t, r, event, hooks.Call{Tool: "Write"}); out.Blocked || out.Append("text") != "text" || out.Reports != nil {
			t.Errorf("got %+v", out)
		}
	}
}

// TestAnswers runs the same command before and after a call. pre and post hold the reason if the command blocks, or else the
// feedback.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const said = `blocked by hook "h": `
	tests := map[string]struct {
		command string
		silent  bool
		blocks  bool
		pre     string
		// post is the same as pre if it is empty.
		post string
	}{
		"status 0, nothing":                         {command: "true"},
		"status 0, blank":                           {command: "echo; echo ' '"},
		"status 0, text":                            {command: "echo formatted; echo twice", pre: "[hook h]\nformatted\ntwice"},
		"status 0, errors only":                     {command: "echo aside >&2"},
		"status 0, message":                         {command: `echo '{"message": "all\nwell"}'`, pre: "[hook h]\nall\nwell"},
		"status 0, empty object":                    {command: `echo '{}'`},
		"status 0, empty message":                   {command: `echo '{"message": ""}'`},
		"status 0, null":                            {command: `echo '{"message": null, "deny": null}'`},
		"status 0, not denied":                      {command: `echo '{"deny": false, "reason": "r", "message": "m"}'`, pre: "[hook h]\nm"},
		"status 0, denied":                          {command: `echo ' {"deny": true, "reason": "forbidden"} '`, blocks: true, pre: said + "forbidden", post: "[hook h]\nforbidden"},
		"status 0, denied behind a byte order mark": {command: `printf '\xef\xbb\xbf{"deny": true, "reason": "forbidden"}'`, blocks: true, pre: said + "forbidden", post: "[hook h]\nforbidden"},
		"status 0, text behind a byte order mark":   {command: `printf '\xef\xbb\xbfformatted'`, pre: "[hook h]\nformatted"},
		"status 0, denied with both":                {command: `echo '{"deny": true, "reason": "r", "message": "m"}'`, blocks: true, pre: said + "r\n\nm", post: "[hook h]\nm\n\nr"},
		"status 0, denied for no reason":            {command: `echo '{"deny": true}'`, blocks: true, pre: said + "it gave no reason", post: "-"},
		"status 0, denied with a reason that is none": {
			command: `echo '{"reason": 5, "deny": true}'`, blocks: true,
			pre:  said + `{"reason": 5, "deny": true}` + "\n\n" + `(this was read as plain text, since "reason" is not a text)`,
			post: "[hook h]\n" + `{"reason": 5, "deny": true}` + "\n\n" + `(this was read as plain text, since "reason" is not a text)`,
		},
		"status 0, other JSON":            {command: `echo '[{"deny": true}]'`, pre: `[hook h]` + "\n" + `[{"deny": true}]`},
		"status 0, case counts":           {command: `echo '{"Deny": true}'`, pre: `[hook h failed: reading its answer: unknown key "Deny"; did you mean "deny"?]` + "\n" + `{"Deny": true}`},
		"status 0, someone else's object": {command: `echo '{"issues": 0}'`, pre: "[hook h]\n" + `{"issues": 0}`},
		"status 0, unknown keys": {
			command: `echo '{"message": "m", "b": 1, "a": 2}'`,
			pre:     "[hook h]\nm\n\n(its answer has unknown keys: a, b; known: deny, message, reason)",
		},
		"status 0, denied with unknown keys": {
			command: `echo '{"deny": true, "why": "x"}'`, blocks: true,
			pre:  said + "(its answer has unknown keys: why; known: deny, message, reason)",
			post: "[hook h]\n(its answer has unknown keys: why; known: deny, message, reason)",
		},
		"status 0, invalid JSON": {
			command: `echo '{"deny": true'`,
			pre:     "[hook h]\n{\"deny\": true\n\n(this was read as plain text, since it is not valid JSON: unexpected end of JSON input)",
		},
		"status 0, wrong type": {
			command: `echo '{"deny": "yes"}'`, pre: "[hook h failed: reading its answer: \"deny\" is not true or false]\n{\"deny\": \"yes\"}",
		},
		"status 0, wrong message": {
			command: `echo '{"message": 5}'`, pre: "[hook h failed: reading its answer: \"message\" is not a text]\n{\"message\": 5}",
		},
		"status 2":                 {command: "echo out; echo never >&2; exit 2", blocks: true, pre: said + "never", post: "[hook h ended with status 2]\nnever"},
		"status 2, output only":    {command: "echo out; exit 2", blocks: true, pre: said + "out", post: "[hook h ended with status 2]\nout"},
		"status 2, nothing":        {command: "exit 2", blocks: true, pre: said + "it gave no reason", post: "[hook h ended with status 2]"},
		"status 2 is not parsed":   {command: `echo '{"message": "m"}' >&2; exit 2`, blocks: true, pre: said + `{"message": "m"}`, post: "[hook h ended with status 2]\n" + `{"message": "m"}`},
		"status 1":                 {command: "echo out; echo broken >&2; exit 1", pre: "[hook h ended with status 1]\nbroken"},
		"status 1, output only":    {command: "echo out; exit 1", pre: "[hook h ended with status 1]\nout"},
		"status 1, nothing":        {command: "exit 1", pre: "[hook h ended with status 1]"},
		"status 1 does not deny":   {command: `echo '{"deny": true}'; exit 1`, pre: "[hook h ended with status 1]\n" + `{"deny": true}`},
		"status 255":               {command: "exit 255", pre: "[hook h ended with status 255]"},
		"syntax error":             {command: "if true", pre: "[hook h ended with status 1]\nshell: parsing the command: 1:1: `if <cond>` must be followed by `then`"},
		"program not found":        {command: "no-such-program-here", pre: "[hook h ended with status 127]\n\"no-such-program-here\": executable file not found in $PATH"},
		"program ended by signal":  {command: "echo before; sh -c 'kill -TERM $$'", pre: "[hook h ended with status 143 (signal 15)]\nbefore"},
		"shell ended by signal":    {command: `echo before; sh -c 'kill -KILL $PPID'; sleep 1000`, pre: "[hook h failed: the shell died (signal: killed)]\nbefore"},
		"colours and controls":     {command: `printf '\033[1;31mred\033[0m\r\n\033]0;title\a\001x\377y'`, pre: "[hook h]\nred\nx\uFFFDy"},
		"silent, status 0":         {command: `echo '{"deny": true, "message": "m"}'`, silent: true},
		"silent, status 2":         {command: "echo never >&2; exit 2", silent: true},
		"silent, status 1":         {command: "echo broken; exit 1", silent: true},
		"silent, ended by signal":  {command: `sh -c 'kill -KILL $PPID'; sleep 1000`, silent: true},
		"input need not be read":   {command: "exec true"},
		"no files":                 {command: `echo "${FILE-none} ${FILES-none}"`, pre: "[hook h]\nnone none"},
		"the working directory":    {command: `read -r e; [[ $e == *"\"cwd\":\"$PWD\""* ]] && echo same`, pre: "[hook h]\nsame"},
		"several statements":       {command: "x=1\nfor i in a b; do echo $i$x; done\n", pre: "[hook h]\na1\nb1"},
		"pipes, with the dialect":  {command: `a=(b c); printf '%s\n' "${a[@]}" | tail -n 1`, pre: "[hook h]\nc"},
		"environment of the user":  {command: `[ -n "$PATH" ] && echo yes`, pre: "[hook h]\nyes"},
		"nothing survives a hook":  {command: "sleep 1000 & echo done", pre: "[hook h]\ndone"},
		"not even by holding both": {command: "(sleep 1000; echo late) & echo done", pre: "[hook h]\ndone"},
	}
	for name, tt := range tests {
		for _, event := range []string{hooks.EventPre, hooks.EventPost} {
			t.Run(name+"/"+event, func(t *testing.T) {
				t.Parallel()
				d := hook(event, tt.command)
				d.Silent = tt.silent
				out := run(t, runner(t, d), event, hooks.Call{Tool: "Any"})
				want, blocks := tt.pre, tt.blocks
				if event == hooks.EventPost {
					blocks = false
					if tt.post != "" {
						want = strings.TrimPrefix(tt.post, "-")
					}
				}
				got := out.Feedback
				if blocks {
					got = out.Reason
				}
				if got != want || out.Blocked != blocks || blocks != (out.By == "h") || blocks && out.Feedback != "" {
					t.Errorf("got %+v, want %q", out, want)
				}
				if len(out.Reports) != 1 {
					t.Errorf("got %d reports", len(out.Reports))
				}
			})
		}
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	d := hook("post", "echo out; echo err >&2; exit 7")
	d.Silent = true
	out := run(t, runner(t, d), "post", hooks.Call{})
	if r := out.Reports[0]; r.Hook != "h" || r.ExitCode != 7 || r.Stdout != "out" || r.Stderr != "err" || r.Duration <= 0 || r.Message != "" {
		t.Errorf("got %+v", r)
	}
}

func TestEvent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		event string
		call  hooks.Call
		want  string
	}{
		"before": {
			"pre",
			hooks.Call{Tool: "Write", Input: map[string]any{"path": "main.go", "content": "a && <b>"}, Output: "no", Paths: []string{"/p/main.go", "/p/x y"}},
			`{"hook_event":"PreToolUse","tool":{"name":"Write","input":{"content":"a && <b>","path":"main.go"}},"cwd":"DIR","file_paths":["/p/main.go","/p/x y"]}`,
		},
		"after": {
			"post",
			hooks.Call{Tool: "Write", Input: map[string]any{"n": 1.5}, Output: "done\n", Paths: []string{"/p/main.go"}},
			`{"hook_event":"PostToolUse","tool":{"name":"Write","input":{"n":1.5},"output":"done\n"},"cwd":"DIR","file_paths":["/p/main.go"]}`,
		},
		"neither input nor files nor output": {"post", hooks.Call{Tool: "T"}, `{"hook_event":"PostToolUse","tool":{"name":"T","input":{}},"cwd":"DIR"}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := runner(t, hook(tt.event, "cat"))
			want := "[hook h]\n" + strings.ReplaceAll(tt.want, "DIR", r.Dir)
			if out := run(t, r, tt.event, tt.call); out.Feedback != want {
				t.Errorf("got  %s\nwant %s", out.Feedback, want)
			}
			var e hooks.Event
			if err := json.Unmarshal([]byte(strings.TrimPrefix(want, "[hook h]\n")), &e); err != nil || e.CWD != r.Dir || e.Tool.Name != tt.call.Tool {
				t.Errorf("got %+v, %v", e, err)
			}
		})
	}
}

func TestEventThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	out := run(t, runner(t, hook("pre", "true")), "pre", hooks.Call{Tool: "T", Input: map[string]any{"x": math.NaN()}})
	if out.Blocked || !strings.HasPrefix(out.Feedback, "[hook h failed: json: unsupported value: NaN") {
		t.Errorf("got %+v", out)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	r := runner(t, hook("pre", "true"))
	r.Executable = filepath.Join(r.Dir, "missing")
	out := run(t, r, "pre", hooks.Call{})
	if out.Blocked || !strings.HasPrefix(out.Feedback, "[hook h failed: fork/exec "+r.Executable) || out.Reports[0].Err == nil {
		t.Errorf("got %+v", out)
	}
}

// TestFiles uses file names that a shell would split, expand or run.
func TestFiles(t *testing.T) {
	t.Parallel()
	r := runner(t,
		hooks.Definition{Name: "a", Event: "post", Files: "*.go", Command: `cat $FILE`},
		hooks.Definition{Name: "b", Event: "post", Files: "*.go", Command: `for f in $FILE; do cat $f; done`},
		hooks.Definition{Name: "c", Event: "post", Files: "*.go", Command: `for f in "${FILES[@]}"; do cat "$f"; done`},
		hooks.Definition{Name: "d", Event: "post", Command: `echo ${#FILES[@]}`},
		hooks.Definition{Name: "e", Event: "post", Files: "*.rs", Command: `echo never`},
	)
	var paths []string
	want := ""
	for _, name := range []string{"a b.go", "it's.go", `"q".go`, "n\nl.go", "$(touch ran).go", "`touch ran`.go", "*.go", "[ab].go", ";touch ran;.go", "no.md"} {
		path := filepath.Join(r.Dir, name)
		if err := os.WriteFile(path, []byte("<"+name+">\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
		if strings.HasSuffix(name, ".go") {
			want += "<" + name + ">\n"
		}
	}
	want = strings.TrimSpace(want)
	out := run(t, r, "post", hooks.Call{Tool: "Write", Paths: paths})
	if want := "[hook a]\n" + want + "\n\n[hook b]\n" + want + "\n\n[hook c]\n" + want + "\n\n[hook d]\n10"; out.Feedback != want {
		t.Errorf("got  %q\nwant %q", out.Feedback, want)
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the name of a file was run")
	}
}

func TestOrderOfRuns(t *testing.T) {
	t.Parallel()
	step := func(name, command string, depends ...string) hooks.Definition {
		return hooks.Definition{Name: name, Event: "pre", Matcher: "Write", Command: command, Depends: depends}
	}
	r := runner(t,
		step("a", "echo $(cat log) a; exit 1", "b"), step("b", "echo b > log"), step("c", "echo stop >&2; exit 2", "a"), step("d", "echo never"),
		hooks.Definition{Name: "0", Event: "pre", Matcher: "Bash", Command: "echo other"},
	)
	r.Pre = append(r.Pre, hooks.Entry{Name: "z", Event: "pre", Command: "echo never"})
	var started []string
	r.OnStart = func(name string) { started = append(started, name) }
	out := run(t, r, "pre", hooks.Call{Tool: "Write"})
	if !slices.Equal(started, []string{"b", "a", "c"}) || len(out.Reports) != 3 {
		t.Errorf("got %q, %+v", started, out)
	}
	if !out.Blocked || out.By != "c" || out.Reason != `blocked by hook "c": stop` || out.Feedback != "[hook a ended with status 1]\nb a" {
		t.Errorf("got %+v", out)
	}
	if got := out.Append("text\n"); got != "text\n\n[hook a ended with status 1]\nb a" {
		t.Errorf("got %q", got)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"sleep 1000", "while :; do :; done", "sleep 1000 & wait", "sh -c 'sleep 1000 & sleep 1000'"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			d := hook("pre", command)
			d.Timeout = time.Second
			out := run(t, runner(t, d), "pre", hooks.Call{})
			if out.Blocked || !strings.HasPrefix(out.Feedback, "[hook h was stopped after its timeout of 1s]") || !out.Reports[0].TimedOut {
				t.Errorf("got %+v", out)
			}
		})
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	r := runner(t, hook("pre", "sleep 1000"), hooks.Definition{Name: "i", Event: "pre", Command: "true"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var started []string
	r.OnStart = func(name string) {
		started = append(started, name)
		cancel()
	}
	_, err := r.RunPre(ctx, hooks.Call{})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `running hook "h"`) || len(started) != 1 {
		t.Errorf("got %v, %q", err, started)
	}
}

// TestSlow checks OnSlow with a hook that ends only after OnSlow was called.
func TestSlow(t *testing.T) {
	t.Parallel()
	r := runner(t, hook("post", "read x < go; echo $x"))
	path := filepath.Join(r.Dir, "go")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// A pipe opened for reading and writing never makes the writer wait for a reader.
	fifo, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = fifo.Close() }()
	var slow []string
	r.OnSlow = func(name string) {
		slow = append(slow, name)
		if _, err := fifo.WriteString("released\n"); err != nil {
			t.Error(err)
		}
	}
	out := run(t, r, "post", hooks.Call{})
	if !slices.Equal(slow, []string{"h"}) || out.Feedback != "[hook h]\nreleased" {
		t.Errorf("got %q, %+v", slow, out)
	}
}

func TestSideBySide(t *testing.T) {
	t.Parallel()
	r := runner(t, hook("post", "cat"))
	var wg sync.WaitGroup
	for _, name := range []string{"A", "B", "C", "D"} {
		wg.Go(func() {
			out, err := r.RunPost(t.Context(), hooks.Call{Tool: name})
			if err != nil || !strings.Contains(out.Feedback, `"name":"`+name+`"`) {
				t.Errorf("got %+v, %v", out, err)
			}
		})
	}
	wg.Wait()
}
