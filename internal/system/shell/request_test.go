package shell

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestRequest(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]request{
		"nothing":    {},
		"line":       {line: "echo a\necho b\x00\n"},
		"files":      {line: "true", files: []string{"/a b", "", "\xff\n", "/c"}},
		"many files": {line: "true", files: slices.Repeat([]string{strings.Repeat("x", 1000)}, 5000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			stream := io.MultiReader(bytes.NewReader(want.encode()), strings.NewReader("input"))

			got, err := readRequest(stream)
			if err != nil || got.line != want.line || !slices.Equal(got.files, want.files) {
				t.Errorf("got %+v, %v", got, err)
			}

			if rest, err := io.ReadAll(stream); err != nil || string(rest) != "input" {
				t.Errorf("left %q, %v", rest, err)
			}
		})
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte{})
	f.Add(request{line: "true", files: []string{"/a", ""}}.encode())
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x02\x05a"))
	f.Add([]byte("\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readRequest(bytes.NewReader(data))
		if err != nil {
			return
		}

		if again, err := readRequest(bytes.NewReader(got.encode())); err != nil || again.line != got.line || !slices.Equal(again.files, got.files) {
			t.Errorf("got %+v, %v, want %+v", again, err, got)
		}
	})
}
