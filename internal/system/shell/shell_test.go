package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/system/shell"
)

// TestMain lets the test binary be its own child, as aura is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == shell.Argument {
		os.Exit(shell.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}

	if len(os.Args) > 1 && os.Args[1] == "run" {
		_, err := shell.Run(context.Background(), shell.Command{
			Executable: os.Args[0], Line: os.Args[2], Env: os.Environ(),
		})
		if err != nil {
			os.Exit(1)
		}

		os.Exit(0)
	}

	// With the race detector each interpreter would sleep for a second before it ends.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		panic(err)
	}

	os.Exit(m.Run())
}

func executable(t *testing.T) string {
	t.Helper()

	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	return path
}

func command(t *testing.T, line string) shell.Command {
	t.Helper()

	return shell.Command{Executable: executable(t), Line: line, Dir: t.TempDir(), Env: os.Environ()}
}

func TestRun(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, line, stdin, stdout, stderr string
		code                              int
	}{
		{name: "success", line: "true"},
		{name: "failure", line: "false", code: 1},
		{name: "status", line: "exit 42", code: 42},
		{name: "status 2 is kept", line: "exit 2", code: 2},
		{name: "streams stay apart", line: "echo out; echo err >&2", stdout: "out\n", stderr: "err\n"},
		{name: "input", line: "read x; echo got $x", stdin: "one\ntwo\n", stdout: "got one\n"},
		{name: "input of a program", line: "cat", stdin: "text", stdout: "text"},
		{name: "no input", line: "cat"},
		{name: "bash dialect", line: `a=(x y z); [[ ${a[1]} == y ]] && echo "${a[@]:1}"`, stdout: "y z\n"},
		{name: "pipe", line: "printf 'b\\na\\n' | sort", stdout: "a\nb\n"},
		{name: "several lines", line: "echo a\necho b\n", stdout: "a\nb\n"},
		{name: "variables of the line reach programs", line: "export A=1; B=2; sh -c 'echo $A,$B'", stdout: "1,\n"},
		{name: "unset variables do not", line: "export A=1; unset A; sh -c 'echo ${A-none}'", stdout: "none\n"},
		{name: "variable for one program", line: "A=1 sh -c 'echo $A'", stdout: "1\n"},
		{name: "program's status", line: "sh -c 'exit 7'", code: 7},
		{name: "program ended by a signal", line: "sh -c 'kill -TERM $$'", code: 143},
		{name: "unknown program", line: "no-such-program-here", stderr: "not found", code: 127},
		{name: "builtin that is a program elsewhere", line: "kill -0 $$ && echo alive", stdout: "alive\n"},
		{name: "builtin of other shells alone", line: `ln -s "$(command -v sh)" sh; PATH=$PWD; kill -0 $$ && echo alive`, stdout: "alive\n"},
		{name: "builtin that is no program", line: "PATH=; ulimit -d", stderr: "ulimit: this shell has no such builtin", code: 127},
		{name: "builtin that the line declares", line: "umask() { echo own $1; }; umask 7", stdout: "own 7\n"},
		{name: "missing script", line: "./no-such-script", stderr: "no-such-script: no such file or directory", code: 127},
		{name: "script that is not executable", line: "echo true > s; ./s", stderr: "./s: permission denied; make it executable with chmod +x", code: 126},
		{name: "directory", line: "mkdir d; d/../d", stderr: "d/../d: is a directory", code: 126},
		{name: "syntax error", line: "if true", stderr: "parsing the command: 1:1", code: 1},
		{name: "script without a first line", line: "echo 'echo from $1' > s; chmod +x s; ./s it", stdout: "from it\n"},
		{name: "empty line", line: ""},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			c := command(t, tt.line)
			c.Stdin = []byte(tt.stdin)

			got, err := shell.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}

			if got.ExitCode != tt.code || string(got.Stdout) != tt.stdout {
				t.Errorf("got status %d, output %q, errors %q", got.ExitCode, got.Stdout, got.Stderr)
			}

			if !strings.Contains(string(got.Stderr), tt.stderr) || (tt.stderr == "" && len(got.Stderr) > 0) {
				t.Errorf("got errors %q, want %q", got.Stderr, tt.stderr)
			}
		})
	}
}

func TestNothingIsInherited(t *testing.T) {
	t.Parallel()

	c := command(t, `echo "[$PATH][$GRANTED]"; pwd`)
	c.Env = []string{"GRANTED=yes"}

	dir, err := filepath.EvalSymlinks(c.Dir)
	if err != nil {
		t.Fatal(err)
	}

	c.Dir = dir

	got, err := shell.Run(t.Context(), c)
	if want := "[][yes]\n" + dir + "\n"; err != nil || string(got.Stdout) != want {
		t.Errorf("got %q, %v, want %q", got.Stdout, err, want)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()

	c := command(t, "head -c 20000000 /dev/zero; head -c 3000 /dev/zero >&2; exit 3")
	c.MaxOutput = 1000

	got, err := shell.Run(t.Context(), c)
	if err != nil || got.ExitCode != 3 {
		t.Fatalf("got %d, %v", got.ExitCode, err)
	}

	if len(got.Stdout) != 1000 || got.StdoutDropped != 19_999_000 {
		t.Errorf("kept %d, dropped %d", len(got.Stdout), got.StdoutDropped)
	}

	if len(got.Stderr) != 1000 || got.StderrDropped != 2000 {
		t.Errorf("kept %d errors, dropped %d", len(got.Stderr), got.StderrDropped)
	}
}

func TestInputNeedNotBeRead(t *testing.T) {
	t.Parallel()

	c := command(t, "true")
	c.Stdin = make([]byte, 4<<20)

	if got, err := shell.Run(t.Context(), c); err != nil || got.ExitCode != 0 {
		t.Errorf("got %d, %v", got.ExitCode, err)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()

	for _, line := range []string{"sleep 1000", "while :; do :; done"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()

			c := command(t, line)
			c.Timeout = time.Second

			got, err := shell.Run(t.Context(), c)
			if err != nil || !got.TimedOut || got.ExitCode != -1 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestContextEnds(t *testing.T) {
	t.Parallel()

	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()

	_, err := shell.Run(late, command(t, "true"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()

	missing := command(t, "true")
	missing.Executable = filepath.Join(missing.Dir, "missing")

	nowhere := command(t, "true")
	nowhere.Dir = filepath.Join(nowhere.Dir, "missing")

	for _, c := range []shell.Command{missing, nowhere} {
		got, err := shell.Run(t.Context(), c)
		if !errors.Is(err, os.ErrNotExist) || got.ExitCode != -1 {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}

func TestMainRefuses(t *testing.T) {
	t.Parallel()

	for _, args := range [][]string{nil, {"echo hi"}, {"lots", "3", "none"}, {"-1", "3", "none"}, {"1", "3"}, {"1", "3", "none", "echo hi"}} {
		var out, errs strings.Builder

		if code := shell.Main(args, nil, &out, &errs); code != 1 || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%q: got %d, %q, %q", args, code, out.String(), errs.String())
		}
	}
}
