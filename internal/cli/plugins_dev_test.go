package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestTypedLines checks that the prompts come first, and then the lines of the input as they are, without blank lines.
func TestTypedLines(t *testing.T) {
	t.Parallel()
	next := typedLines(strings.NewReader("\n \t\n two\n\n/three 3\n!four\nbad \xff\n"), []string{"one", ""})
	var got []string
	for {
		line, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	if want := []string{"one", "", " two", "/three 3", "!four", "bad \uFFFD"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
