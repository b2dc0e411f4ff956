package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/build"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// line runs one command line in its own directory, without plugin processes, and returns its output.
func line(t *testing.T, stdin string, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	dir := t.TempDir()
	s := streams{in: strings.NewReader(stdin), out: &out, err: &errs, environ: append([]string{
		"AURA_TRUST=1", "AURA_DEMONSTRATION=1", "XDG_STATE_HOME=" + t.TempDir(), "AURA_WORKDIR=" + dir, "AURA_HOME=" + filepath.Join(dir, "home"),
	}, environ...)}
	code = execute(t.Context(), s, args)
	return code, out.String(), errs.String()
}

func TestCommandLines(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name    string
		args    []string
		stdin   string
		environ []string
		code    int
		stdout  string
		stderr  string
	}{
		{name: "help lists exit codes", args: []string{"--help"}, stdout: "130 interrupted"},
		{name: "no command and no terminal", code: exitUsage, stderr: "the interactive screen needs a terminal; to run a prompt without one, use: aura run \"PROMPT\"\n"},
		{name: "a prompt and no terminal", args: []string{"Fix it"}, code: exitUsage, stderr: "use: aura run \"Fix it\"\n"},
		{name: "version names both versions", args: []string{"--version"}, stdout: build.Version + " (SDK 0.1.1)"},
		{name: "unknown flag", args: []string{"run", "--bogus"}, code: exitUsage, stderr: "unknown flag: --bogus"},
		{name: "flag with a typo", args: []string{"run", "--max-stepz", "3", "hi"}, code: exitUsage, stderr: "unknown flag: --max-stepz; did you mean --max-steps?\nSee aura run --help."},
		{name: "flag cut short", args: []string{"run", "--without"}, code: exitUsage, stderr: "did you mean --without-instructions or --without-plugins?"},
		{name: "flag before a command", args: []string{"--modek", "x", "run", "hi"}, code: exitUsage, stderr: "did you mean --"},
		{name: "help before a command", args: []string{"--help", "tasks", "run"}, stdout: "aura tasks run NAME"},
		{name: "help amid a command", args: []string{"tasks", "--help", "run"}, stdout: "aura tasks run NAME"},
		{name: "help of a command", args: []string{"help", "tasks", "run"}, stdout: "aura tasks run NAME"},
		{name: "help alone", args: []string{"help"}, stdout: "130 interrupted"},
		{name: "help of nothing", args: []string{"help", "taks"}, code: exitUsage, stderr: `unknown command "taks" for "aura"; did you mean tasks?`},
		{name: "help of nothing below", args: []string{"help", "tasks", "rnu"}, code: exitUsage, stderr: `unknown command "rnu" for "aura tasks"`},
		{name: "completion of nothing", args: []string{"completion", "bsh"}, code: exitUsage, stderr: `did you mean bash or `},
		{name: "completion alone", args: []string{"completion"}, stdout: "aura completion [command]"},
		{name: "version before a command", args: []string{"--version", "run", "hi"}, stdout: "aura version " + build.Version},
		{name: "version after a command", args: []string{"tasks", "run", "--version"}, stdout: "aura version " + build.Version},

		{name: "a flag that does nothing", args: []string{"version", "--max-steps", "3"}, stdout: "aura", stderr: "! --max-steps does nothing for \"aura version\"\n"},
		{name: "before the command", args: []string{"--agent", "x", "version"}, stdout: "aura", stderr: "--agent does nothing for \"aura version\""},
		{name: "as a variable", args: []string{"version"}, environ: []string{"AURA_MAX_STEPS=many", "AURA_AGENT=x"}, stdout: "platform"},
		{name: "place of a command without any", args: []string{"--home", "", "completion", "bash"}, stdout: "completion", stderr: "! --home does nothing for \"aura completion bash\""},
		{name: "help leaves it out", args: []string{"paths", "--help"}, stdout: "Global Flags:\n      --config stringArray   project home to use instead of .aura (repeatable, the last wins)\n      --home string          user's home (default ~/.aura; \"\" for none)\n      --workdir string       directory to work in\n"},

		{name: "a command of other programs", args: []string{"login"}, code: exitUsage, stderr: `unknown command "login" for "aura": aura asks for a model and its key`},
		{name: "with further words", args: []string{"config", "set", "model=x"}, code: exitUsage, stderr: `"aura show" prints what is in effect`},
		{name: "as a prompt", args: []string{"--", "login"}, code: exitUsage, stderr: "use: aura run \"login\"\n"},
		{name: "unknown command", args: []string{"rnu"}, code: exitUsage, stderr: `unknown command "rnu"`},
		{name: "unknown subcommand", args: []string{"plugins", "shwo"}, code: exitUsage, stderr: "did you mean show?"},
		{name: "missing argument", args: []string{"plugins", "show"}, code: exitUsage, stderr: "aura plugins show takes NAME"},
		{name: "value of a switch", args: []string{"plugins", "new", "words", "--tool=Words"}, code: exitUsage, stderr: "--tool=Words: the flag is a switch and takes no value: write --tool\n"},
		{name: "name of a tool", args: []string{"plugins", "new", "words", "--tool", "Words"}, code: exitUsage, stderr: "one NAME, and there are 2: words, Words; --tool and --command take no value, because the tool and the command are named after the plugin"},
		{name: "bad value", args: []string{"run", "--timeout", "soon", "hi"}, code: exitUsage, stderr: "invalid argument"},
		{name: "unknown events", args: []string{"run", "--json", "--events", "plugins,all", "hi"}, code: exitUsage, stderr: `--events "all": there is no such kind of events; known kinds: plugins`},
		{name: "unknown events of a task", args: []string{"tasks", "run", "--json", "--events", "all", "t"}, code: exitUsage, stderr: "known kinds: plugins"},
		{name: "events without json", args: []string{"run", "--events", "plugins", "hi"}, code: exitUsage, stderr: "--events needs --json or --debug"},
		{name: "negative timeout", args: []string{"run", "--timeout", "-1s", "hi"}, code: exitUsage, stderr: "is negative"},
		{name: "empty input", args: []string{"run"}, code: exitUsage, stderr: "standard input is empty"},
		{name: "no session to go on with", args: []string{"run", "--resume", "", "hi"}, code: exitUsage, stderr: "--resume is empty"},
		{name: "prompt from Windows", args: []string{"run", "--json"}, stdin: "\uFEFF/set a=b\r\n", stdout: `"output":"a is \"b\""`},
		{name: "prompt from input", args: []string{"run"}, stdin: "hi\n", stdout: "That was the demonstration."},
		{name: "prompt as argument", args: []string{"run", "hi"}, stdout: "That was the demonstration."},
		{name: "no such plugin", args: []string{"plugins", "logs", "x"}, code: exitError, stderr: "known plugins: none"},
		{name: "no such task", args: []string{"tasks", "run", "x"}, code: exitError, stderr: "known tasks: -"},
		{name: "no such provider", args: []string{"run", "--provider", "x", "hi"}, code: exitError, stderr: "known providers: none"},
		{name: "no such agent", args: []string{"run", "--agent", "x", "hi"}, code: exitError, stderr: "known agents: none"},
		{name: "flag from the environment", args: []string{"run", "hi"}, environ: []string{"AURA_PROVIDER=y"}, code: exitError, stderr: `provider "y"`},
		{name: "command line wins over it", args: []string{"run", "--provider", "z", "hi"}, environ: []string{"AURA_PROVIDER=y"}, code: exitError, stderr: `provider "z"`},
		{name: "bad value in the environment", args: []string{"run", "hi"}, environ: []string{"AURA_MAX_STEPS=many"}, code: exitUsage, stderr: "AURA_MAX_STEPS"},
		{name: "empty variable counts as none", args: []string{"run", "hi"}, environ: []string{"AURA_MAX_STEPS="}, stdout: "That was the demonstration."},
		{name: "trust and safe", args: []string{"run", "--trust", "--safe", "hi"}, code: exitUsage, stderr: "--trust and --safe contradict each other"},
		{name: "both in the environment", args: []string{"run", "hi"}, environ: []string{"AURA_SAFE=1"}, code: exitUsage, stderr: "--trust and --safe contradict each other"},
		{name: "safe over the environment", args: []string{"run", "--safe", "hi"}, stdout: "That was the demonstration."},
		{name: "two of trust's flags", args: []string{"trust", "--show", "--list"}, code: exitUsage, stderr: "exclude each other"},
		{name: "JSON of nothing", args: []string{"trust", "--json"}, code: exitUsage, stderr: "--json goes with --show or --list"},
		{name: "nothing to trust", args: []string{"trust"}, stdout: "holds nothing that asks for consent"},
		{name: "trust of no directory", args: []string{"trust", "none"}, code: exitError, stderr: "is not a directory"},
		{name: "forget a directory that is gone", args: []string{"trust", "--forget", "none"}, stdout: "was not trusted"},
		{name: "step limit", args: []string{"run", "--max-steps", "1", "hi"}, code: exitLimit, stderr: "step"},
		{name: "unknown slash command goes on", args: []string{"run", "/nope", "hi"}, stdout: "That was the demonstration.", stderr: "/nope"},
		{name: "exit leaves", args: []string{"run", "/exit", "hi"}, stdout: ""},
		{name: "help of commands", args: []string{"run", "/help"}, stdout: "/reload"},
		{name: "no tasks", args: []string{"tasks"}, stdout: "no tasks are configured"},
		{name: "excluded tool", args: []string{"run", "--exclude-tools", "Ls", "hi"}, stdout: "That was the demonstration.", stderr: "Ls failed"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := line(t, row.stdin, row.environ, row.args...)
			if code != row.code || !strings.Contains(stdout, row.stdout) || !strings.Contains(stderr, row.stderr) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nwant: %s\nstderr: %s\nwant: %s", code, row.code, stdout, row.stdout, stderr, row.stderr)
			}
		})
	}
}

// TestNoProvider checks that nothing plays a model without a terminal, unless the user asks for the demonstration.
func TestNoProvider(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "hi"}, {"run", "--json", "hi"}} {
		var out, errs bytes.Buffer
		dir := t.TempDir()
		s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{
			"AURA_TRUST=1", "OLLAMA_HOST=127.0.0.1:1", "XDG_STATE_HOME=" + t.TempDir(), "AURA_WORKDIR=" + dir, "AURA_HOME=" + filepath.Join(dir, "home"),
		}}
		code := execute(t.Context(), s, args)
		for _, part := range []string{"no provider is configured", "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY", "run 'aura' in a terminal"} {
			if code != exitUsage || !strings.Contains(errs.String(), part) {
				t.Errorf("%v: exit code %d, stderr %s, want %q", args, code, errs.String(), part)
			}
		}
	}
}

// TestOutputThatIsLost checks that output that cannot be written is a failure, unless the reader closed the pipe.
func TestOutputThatIsLost(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"run hi", "tools list", "show agents", "sandbox status", "run --help", "--version", "completion bash"} {
		for fault, want := range map[error]int{syscall.ENOSPC: exitError, syscall.EPIPE: exitDone} {
			var errs bytes.Buffer
			dir := t.TempDir()
			s := streams{in: strings.NewReader(""), out: failing{fault}, err: &errs, environ: []string{
				"AURA_TRUST=1", "AURA_DEMONSTRATION=1", "XDG_STATE_HOME=" + t.TempDir(), "AURA_WORKDIR=" + dir, "AURA_HOME=" + dir,
			}}
			code := execute(t.Context(), s, strings.Fields(command))
			if told := strings.Contains(errs.String(), "a part is missing: "+fault.Error()); code != want || told != (want == exitError) {
				t.Errorf("%s: %v: exit code %d, want %d\n%s", command, fault, code, want, errs.String())
			}
		}
	}
}

// failing is a writer that always fails.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestJSONIsAloneOnStandardOutput(t *testing.T) {
	t.Parallel()
	code, stdout, _ := line(t, "", nil, "run", "--json", "--health", "hi", "/help")
	if code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	seen := map[string]bool{}
	for l := range strings.Lines(stdout) {
		var kind string
		if _, err := fmt.Sscanf(l, `{"type":%q`, &kind); err != nil {
			t.Errorf("not an event: %s", l)
		}
		seen[kind] = true
	}
	for _, kind := range []string{"session", "request", "delta", "message", "tool_call", "tool_result", "notice", "command", "done"} {
		if !seen[kind] {
			t.Errorf("no event of type %s", kind)
		}
	}
}

// TestInputWithoutEnd ends aura while it reads a prompt from a pipe to which nothing is written.
func TestInputWithoutEnd(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancelCause(t.Context())
	stop(signalled{os.Interrupt})
	rows := []struct {
		name string
		ctx  context.Context //nolint:containedctx // a row of the table
		args []string
		want int
	}{
		{"timeout", t.Context(), []string{"--timeout", "1ms"}, exitTimeout},
		{"interrupt", stopped, nil, exitInterrupted},
	}
	for _, row := range rows {
		in, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		var errs bytes.Buffer
		s := streams{in: in, out: io.Discard, err: &errs, environ: []string{"AURA_TRUST=1", "XDG_STATE_HOME=" + t.TempDir()}}
		if got := execute(row.ctx, s, append([]string{"--workdir", t.TempDir(), "--home", "", "run"}, row.args...)); got != row.want {
			t.Errorf("%s: got %d, want %d: %s", row.name, got, row.want, &errs)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	ended := func(cause error) context.Context {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		return ctx
	}
	rows := []struct {
		name string
		ctx  context.Context //nolint:containedctx // a row of the table
		err  error
		want int
	}{
		{"done", t.Context(), nil, exitDone},
		{"error", t.Context(), errors.New("x"), exitError},
		{"usage", t.Context(), fmt.Errorf("a: %w", usageError{errors.New("x")}), exitUsage},
		{"limit", t.Context(), fmt.Errorf("a: %w", conversation.ErrStepLimit), exitLimit},
		{"timeout", t.Context(), timeoutError(time.Second), exitTimeout},
		{"interrupt", ended(signalled{os.Interrupt}), context.Canceled, exitInterrupted},
		{"terminated", ended(signalled{syscall.SIGTERM}), errors.New("anything"), exitTerminated},
		{"hung up", ended(signalled{syscall.SIGHUP}), context.Canceled, exitHungUp},
		{"done in spite of a late signal", ended(signalled{os.Interrupt}), nil, exitDone},
	}
	for _, row := range rows {
		if got := exitCode(row.ctx, row.err); got != row.want {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
}

// TestSecondSignal distinguishes a signal that arrives twice at once, as timeout sends it, from a signal that is sent again
// later.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name string
		echo time.Duration
		want bool
	}{
		{"the same twice", time.Hour, false},
		{"another later", -1, true},
	}
	for _, row := range rows {
		signals, done := make(chan os.Signal), make(chan struct{})
		go func() {
			signals <- os.Interrupt
			close(done)
		}()
		if got := impatient(signals, done, nil, row.echo); got != row.want {
			t.Errorf("%s: got %t, want %t", row.name, got, row.want)
		}
	}
	late := make(chan struct{})
	close(late)
	if !impatient(nil, nil, late, time.Hour) {
		t.Error("slow: waits on")
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	rows := []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07x", "x"},
		{"a\u009b31mb", "ab"},
		{"over\rwrite\b", "overwrite"},
		{"bad \xff utf-8", "bad \uFFFD utf-8"},
		{"evil\u202Etxt", "evil<U+202E>txt"},
		{"päivää 𝄞", "päivää 𝄞"},
	}
	for _, row := range rows {
		if got := clean(row.in); got != row.want {
			t.Errorf("%q: got %q, want %q", row.in, got, row.want)
		}
	}
	if got := oneLine("a\n b\tc "+strings.Repeat("x", 10), 5); got != "a b c… (11 more)" {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[0m\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range clean(s) {
			if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0) {
				t.Errorf("%q leaves %q", s, r)
			}
		}
	})
}

// TestTextKeepsLinesApart checks that streamed text and notices are shown in order, and that no line is split.
func TestTextKeepsLinesApart(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer
	r := &textRenderer{out: &both, err: &both}
	for _, e := range []event.Event{
		event.Delta{Text: "half a "},
		event.Delta{Text: "line\x1b["},
		event.Delta{Text: "2J"},
		event.Notice{Plugin: "p", Text: "one\ntwo"},
		event.Notice{Plugin: "p", Text: `plugin "p" is restarted`},
		event.PluginError{Plugin: "p", Error: "x\x07"},
		event.PluginError{Plugin: "p", Error: "for the log", Returned: true},
		event.PluginError{Plugin: "p", Error: "in a notice", Reported: true},
		event.ToolCall{Name: "Ls", Arguments: []byte(`{"path":"."}`)},
		event.ToolResult{Name: "Ls", Content: "a\nb"},
		event.ToolResult{Name: "Ls", Error: "no"},
		event.Injection{Plugin: "p", Content: "hint"},
		event.Delta{Text: "end"},
	} {
		r.Event(e)
	}
	r.finish()
	want := "half a line\n! p: one\n  two\n! plugin \"p\" is restarted\n! p: x\n> Ls {\"path\":\".\"}\n< Ls (0s) a b\n< Ls failed: no\n~ p: hint\nend\n"
	if both.String() != want {
		t.Errorf("got\n%s\nwant\n%s", both.String(), want)
	}
}

// TestTextKeepsBlocks shows notices while blocks of Markdown are incomplete. The notices must not end the blocks.
func TestTextKeepsBlocks(t *testing.T) {
	t.Parallel()
	var both bytes.Buffer
	r := &textRenderer{out: &both, err: &both, markdown: terminal.NewMarkdown(terminal.Look{})}
	for _, e := range []event.Event{
		event.Delta{Text: "one\n"},
		event.Notice{Text: "first"},
		event.Delta{Text: "two\n\n```\nco"},
		event.Notice{Text: "second"},
		event.Delta{Text: "de\n```\n**end"},
		event.PluginError{Plugin: "p", Error: "third"},
		event.Delta{Text: "**"},
		event.Message{Role: "assistant"},
		event.ToolCall{Name: "Ls"},
		event.Delta{Text: "cut"},
		event.Error{Message: "off"},
		event.Delta{Text: "last"},
	} {
		r.Event(e)
	}
	r.finish()
	want := "! first\none two\n\n! second\ncode\n! p: third\n\nend\n> Ls \ncut\n! off\nlast\n"
	if both.String() != want {
		t.Errorf("got\n%s\nwant\n%s", both.String(), want)
	}
}
