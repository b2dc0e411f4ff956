package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/files"
)

const (
	// fromInput is the argument that means standard input.
	fromInput = "-"
	// silence is how long aura waits for standard input to begin if there are also prompts. After that, standard input is
	// ignored.
	silence = 3 * time.Second
)

// promptSource provides the prompts of a run.
type promptSource struct {
	in io.Reader
	// warn shows a warning to the user. after is time.After, except in tests.
	warn  func(text string)
	after func(time.Duration) <-chan time.Time
}

// prompts returns the prompts, which are the arguments. The argument - is replaced by standard input. Without arguments, standard
// input is the only prompt. If there are other prompts, piped text is added to the first one that is sent to the model.
func (p promptSource) prompts(ctx context.Context, args []string) ([]string, error) {
	if len(args) == 0 {
		if isTerminal(p.in) {
			return nil, usageError{errors.New("run needs a prompt: give it as an argument or on standard input")}
		}
		args = []string{fromInput}
	}
	out := slices.Clone(args)
	if at := slices.Index(args, fromInput); at >= 0 {
		if slices.Contains(args[at+1:], fromInput) {
			return nil, usageError{errors.New("standard input can be one prompt only: - is given twice")}
		}
		text, err := p.whole(ctx)
		out[at] = text
		return out, err
	}
	at := firstPrompt(args)
	if at < 0 || !isPiped(p.in) {
		return out, nil
	}
	text, err := p.beside(ctx)
	if err == nil && strings.TrimSpace(text) != "" {
		out[at] = withInput(args[at], text)
	}
	return out, err
}

// all returns the prompts of a file, or else those of the arguments.
func (p promptSource) all(ctx context.Context, file string, args []string) ([]string, error) {
	switch {
	case file == "":
		return p.prompts(ctx, args)
	case len(args) > 0:
		return nil, usageError{errors.New("--prompts-file takes the place of prompts as arguments: give one of them")}
	}
	var data []byte
	var err error
	if file == fromInput {
		var text string
		text, err = p.read(ctx, nil)
		data = []byte(text)
	} else {
		data, err = files.Read(file, files.MaxText)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the prompts: %w", err)
	}
	return promptLines(data)
}

// promptLines returns the prompts of JSON lines. Empty lines are left out.
func promptLines(data []byte) ([]string, error) {
	var out []string
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var text string
		if err := json.Unmarshal(line, &text); err != nil || strings.TrimSpace(text) == "" {
			return nil, usageError{fmt.Errorf("--prompts-file: line %d is not a prompt: write a JSON string on each line, such as \"List the files\"", n)}
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return nil, usageError{errors.New("--prompts-file: there is no prompt")}
	}
	return out, nil
}

// firstPrompt returns the index of the first prompt that is not a slash command, or -1.
func firstPrompt(prompts []string) int {
	return slices.IndexFunc(prompts, func(text string) bool { return !frontend.IsCommand(text) })
}

// withInput returns a prompt together with piped text. The text is escaped, so that nothing in it refers to a file.
func withInput(text, input string) string {
	return strings.TrimRight(text, "\n") + "\n\n<stdin>\n" + prompt.Escape(input) + "\n</stdin>"
}

// whole reads standard input as a prompt. It waits until standard input ends.
func (p promptSource) whole(ctx context.Context) (string, error) {
	text, err := p.read(ctx, nil)
	if err == nil && strings.TrimSpace(text) == "" {
		err = usageError{errors.New("run needs a prompt: standard input is empty")}
	}
	return text, err
}

// beside returns the text that is piped in addition to a prompt. It is empty if nothing arrives: the program that started aura
// may have left a pipe open without writing to it.
func (p promptSource) beside(ctx context.Context) (string, error) {
	text, err := p.read(ctx, p.after(silence))
	if errors.Is(err, errSilent) {
		p.warn(fmt.Sprintf("standard input is a pipe that was silent for %s, so only the prompt is sent; use - as a prompt to wait, or </dev/null", silence))
		return "", nil
	}
	return text, err
}

var errSilent = errors.New("standard input is silent")

// read reads standard input to its end, if it begins before late. A read cannot be interrupted: if the caller gives up, the read
// continues until the process ends.
func (p promptSource) read(ctx context.Context, late <-chan time.Time) (string, error) {
	type outcome struct {
		text string
		err  error
	}
	began, done := make(chan struct{}), make(chan outcome, 1)
	go func() {
		in := bufio.NewReader(p.in)
		_, _ = in.Peek(1) // the next read returns the same error
		close(began)
		text, err := readInput(in)
		done <- outcome{text, err}
	}()
	select {
	case <-began:
	case <-late:
		return "", errSilent
	case <-ctx.Done():
		return "", fmt.Errorf("reading standard input: %w", context.Cause(ctx))
	}
	select {
	case o := <-done:
		return o.text, o.err
	case <-ctx.Done():
		return "", fmt.Errorf("reading standard input: %w", context.Cause(ctx))
	}
}

// readBounded reads input up to the limit of a text. A device or a program that never ends is an error.
func readBounded(in io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, files.MaxText+1))
	if err == nil && len(text) > files.MaxText {
		err = fmt.Errorf("it has more than %d bytes, which is the limit", files.MaxText)
	}
	return text, err
}

// readInput reads standard input as text.
func readInput(in io.Reader) (string, error) {
	text, err := readBounded(in)
	if err == nil && bytes.IndexByte(text, 0) >= 0 {
		err = errors.New("it is not text; write it to a file and name the file in the prompt")
	}
	if err != nil {
		return "", fmt.Errorf("reading standard input: %w", err)
	}
	// Windows writes a byte order mark before piped text, and ends lines with \r
	// .
	return strings.ToValidUTF8(strings.TrimRight(strings.TrimPrefix(string(text), "\uFEFF"), "\r\n"), "\uFFFD"), nil
}

// isPiped reports whether standard input is a pipe, a socket or a file. A terminal, /dev/null and a closed descriptor do not
// count.
func isPiped(in io.Reader) bool {
	f, ok := in.(*os.File)
	if !ok {
		return in != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0)
}
