package cli

import (
	"io"
	"testing"
)

// TestLineReader checks who gets which line: the next question after one that was withdrawn, a prompt when no question is open, and nobody.
func TestLineReader(t *testing.T) {
	t.Parallel()
	in, keyboard := io.Pipe()
	var l lineReader
	types := func(line string) {
		t.Helper()
		if _, err := io.WriteString(keyboard, line); err != nil {
			t.Fatal(err)
		}
	}
	gets := func(what string, from <-chan typed, want string) {
		t.Helper()
		if got := <-from; got.text != want || got.err != nil {
			t.Errorf("%s: %q, error %v, want %q", what, got.text, got.err, want)
		}
	}
	first := l.ask(in)
	types("one\n")
	gets("a question", first, "one\n")

	withdrawn := l.ask(in)
	l.withdraw()
	second := l.ask(in)
	types("two\n")
	gets("the question after a withdrawn one", second, "two\n")

	prompt := l.next(in, &l.prompt)
	third := l.ask(in)
	types("three\n")
	gets("a question while a prompt is read", third, "three\n")
	types("four\n")
	gets("a prompt", prompt, "four\n")

	l.ask(in)
	l.withdraw()
	types("five\n")
	for reading := true; reading; {
		l.mu.Lock()
		reading = l.reading
		l.mu.Unlock()
	}
	fourth := l.ask(in)
	types("six\n")
	gets("after a line for nobody", fourth, "six\n")

	if err := keyboard.Close(); err != nil {
		t.Fatal(err)
	}
	if end := <-l.ask(in); end.err == nil {
		t.Error("no error at the end of the input")
	}
	if _, err := l.prompts(in)(); err == nil {
		t.Error("no error at the end of the input of prompts")
	}
	select {
	case got := <-withdrawn:
		t.Errorf("a withdrawn question got %q", got.text)
	default:
	}
}
