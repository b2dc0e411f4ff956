package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/files"
)

// TestPrompts has a row for each rule about arguments and standard input.
func TestPrompts(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in   string
		args []string
		want []string
		err  string
	}{
		"arguments":             {"", []string{"a", "b"}, []string{"a", "b"}, ""},
		"no argument":           {"a\nb\n", nil, []string{"a\nb"}, ""},
		"piped beside one":      {"diff\n", []string{"review"}, []string{"review\n\n<stdin>\ndiff\n</stdin>"}, ""},
		"with the first":        {"diff", []string{"a", "b"}, []string{"a\n\n<stdin>\ndiff\n</stdin>", "b"}, ""},
		"not with a command":    {"diff", []string{"/mode plan", "b"}, []string{"/mode plan", "b\n\n<stdin>\ndiff\n</stdin>"}, ""},
		"commands only":         {"diff", []string{"/info"}, []string{"/info"}, ""},
		"mentions nothing":      {"see @a \\@b", []string{"@c"}, []string{"@c\n\n<stdin>\nsee \\@a \\\\@b\n</stdin>"}, ""},
		"blank":                 {" \n\n", []string{"a"}, []string{"a"}, ""},
		"dash":                  {"a @b\n", []string{"-"}, []string{"a @b"}, ""},
		"dash among others":     {"in", []string{"a", "-", "b"}, []string{"a", "in", "b"}, ""},
		"dash twice":            {"in", []string{"-", "-"}, nil, "- is given twice"},
		"dash and nothing":      {"", []string{"-"}, nil, "standard input is empty"},
		"nothing at all":        {"\n", nil, nil, "standard input is empty"},
		"binary":                {"a\x00b", []string{"a"}, nil, "it is not text"},
		"byte order mark":       {"\uFEFFa\r\n", nil, []string{"a"}, ""},
		"not UTF-8":             {"a\xff", nil, []string{"a\uFFFD"}, ""},
		"too much":              {strings.Repeat("a", files.MaxText+1), []string{"a"}, nil, "more than 16777216 bytes"},
		"a command on its own":  {"/info\n", nil, []string{"/info"}, ""},
		"a path is no command":  {"x", []string{"/etc/hosts is empty"}, []string{"/etc/hosts is empty\n\n<stdin>\nx\n</stdin>"}, ""},
		"ends in a line break":  {"x", []string{"a\n"}, []string{"a\n\n<stdin>\nx\n</stdin>"}, ""},
		"keeps its indentation": {"  x\n", []string{"a"}, []string{"a\n\n<stdin>\n  x\n</stdin>"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := promptSource{in: strings.NewReader(row.in), warn: func(text string) { t.Error(text) }, after: never}
			got, err := p.prompts(t.Context(), row.args)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("error is %v, want %q", err, row.err)
				}
				return
			}
			if err != nil || !slices.Equal(got, row.want) {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
}

// TestPromptsFile reads prompts from JSON lines.
func TestPromptsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "prompts")
	if err := os.WriteFile(path, []byte("\"in a file\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		file, in string
		args     []string
		want     []string
		err      string
	}{
		"several":        {"-", "\"a\\nb\"\n\n\"-\"", nil, []string{"a\nb", "-"}, ""},
		"a file":         {path, "", nil, []string{"in a file"}, ""},
		"no file":        {path + "-no", "", nil, nil, "reading the prompts"},
		"none":           {"-", "\n", nil, nil, "there is no prompt"},
		"not JSON":       {"-", "\"a\"\nb\n", nil, nil, "line 2 is not a prompt"},
		"not a text":     {"-", "1", nil, nil, "line 1 is not a prompt"},
		"blank":          {"-", `" "`, nil, nil, "line 1 is not a prompt"},
		"with arguments": {"-", `"a"`, []string{"b"}, nil, "give one of them"},
		"only arguments": {"", "", []string{"b"}, []string{"b"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := promptSource{in: strings.NewReader(row.in), warn: func(text string) { t.Error(text) }, after: never}
			got, err := p.all(t.Context(), row.file, row.args)
			if row.err == "" && (err != nil || !slices.Equal(got, row.want)) || row.err != "" && (err == nil || !strings.Contains(err.Error(), row.err)) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func never(time.Duration) <-chan time.Time { return nil }

// TestSilentPipe uses a pipe to which nothing is written: it is ignored if there is also a prompt, and awaited if it is the
// prompt.
func TestSilentPipe(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	defer out.Close()
	late := make(chan time.Time, 1)
	late <- time.Time{}
	var said []string
	p := promptSource{
		in: in, warn: func(text string) { said = append(said, text) },
		after: func(d time.Duration) <-chan time.Time {
			if d != 3*time.Second {
				t.Errorf("it waits for %s", d)
			}
			return late
		},
	}
	got, err := p.prompts(t.Context(), []string{"a"})
	if err != nil || !slices.Equal(got, []string{"a"}) || len(said) != 1 || !strings.Contains(said[0], "silent for 3s") {
		t.Errorf("got %q, %v, said %q", got, err, said)
	}
	late <- time.Time{}
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	fresh, writer := io.Pipe()
	defer writer.Close()
	p.in = fresh
	done := make(chan error, 1)
	go func() {
		_, err := p.prompts(ctx, []string{"-"})
		done <- err
	}()
	stop(stopped)
	if err := <-done; !errors.Is(err, stopped) {
		t.Errorf("error is %v", err)
	}
	if len(said) != 1 {
		t.Errorf("said %q", said)
	}
}

// TestSlowPipe uses a pipe that begins in time and ends much later. All of its text must be read.
func TestSlowPipe(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	late := make(chan time.Time)
	go func() {
		_, _ = io.WriteString(out, "first ")
		// The reader has received the first write, so it no longer waits for the beginning.
		_, _ = io.WriteString(out, "second")
		_ = out.Close()
	}()
	p := promptSource{in: in, warn: func(text string) { t.Error(text) }, after: func(time.Duration) <-chan time.Time { return late }}
	got, err := p.prompts(t.Context(), []string{"a"})
	if err != nil || !strings.Contains(strings.Join(got, ""), "first second") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestIsPiped(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	closed, err := os.Open(os.DevNull)
	if err != nil || closed.Close() != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		in   io.Reader
		want bool
	}{
		"a pipe": {read, true}, "a file": {file, true}, "/dev/null": {null, false}, "a directory": {dir, false}, "closed": {closed, false}, "none": {nil, false},
	} {
		if got := isPiped(row.in); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
