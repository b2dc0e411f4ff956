package builtin_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// TestReadFile checks that Read returns a media file only to a caller that takes it, whatever the name.
func TestReadFile(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n\x00"
	long := "%PDF-1.7\n" + strings.Repeat("\x00x", 1000)
	for name, row := range map[string]struct {
		content string
		take    bool
		// output and failure are parts of the result; file is the type of the file that is passed on.
		output, failure, file string
	}{
		"an image":           {png, true, "image/png, 9 bytes", "", "image/png"},
		"a longer PDF file":  {long, true, "application/pdf, 2009 bytes", "", "application/pdf"},
		"nobody takes it":    {png, false, "", "not a text file", ""},
		"text":               {"some text", true, "some text", "", ""},
		"nothing":            {"", true, "", "", ""},
		"another binary":     {"a\x00b", true, "", "not a text file", ""},
		"as large as it may": {png + strings.Repeat("x", limit.Image-len(png)), true, "image/png, 5242880 bytes", "", "image/png"},
		"too large":          {png + strings.Repeat("x", limit.Image-len(png)+1), true, "", "it has 5242881 bytes, and an attached file of type image/png has at most 5 MiB", "image/png"},
		"too large PDF file": {long + strings.Repeat("x", limit.PDF), true, "", "has at most 32 MiB; if they are installed, `qpdf --empty --pages FILE 1-20 -- PART.pdf` writes some of its pages", files.PDF},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.txt"), row.content)
			var got *tool.File
			call := tool.Call{Args: map[string]any{"path": "a.txt"}}
			if row.take {
				call.File = func(f tool.File) { got = &f }
			}
			out, err := find(t, dir, "Read").Execute(t.Context(), call)
			if out != row.output || (err == nil) != (row.failure == "") || err != nil && !strings.Contains(err.Error(), row.failure) {
				t.Errorf("got %q, %v", out, err)
			}
			if (got == nil) != (row.file == "") {
				t.Fatalf("got the file %v", got)
			}
			if got != nil && (got.Type != row.file || err == nil && string(got.Data) != row.content || err != nil && got.Data != nil) {
				t.Errorf("got %s with %d bytes", got.Type, len(got.Data))
			}
		})
	}
}

// TestReadAttaches checks what a model gets that reads a media file: the file, or the reason why it does not get it.
func TestReadAttaches(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n\x00"
	for name, row := range map[string]struct {
		content         string
		refusal         error
		output, failure string
		attached        bool
	}{
		"an image":       {png, nil, "[image/png, 9 bytes: shown as a.txt of result 2]", "", true},
		"a PDF file":     {"%PDF-1.7\n", nil, "[application/pdf, 9 bytes: shown as a.txt of result 2]", "", true},
		"not taken":      {png, errors.New("model m takes no images"), "[image/png, 9 bytes: not shown, because model m takes no images]", "", true},
		"text":           {"some text", nil, "some text", "", false},
		"another binary": {"a\x00b", nil, "", "not a text file", false},
		"too large":      {png + strings.Repeat("x", limit.Image), nil, "", "has at most 5 MiB", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "a.txt"), row.content)
			attached := false
			out, err := find(t, dir, "Read").Execute(t.Context(), tool.Call{
				Args: map[string]any{"path": "a.txt"},
				Attach: func(name string, data []byte) (string, error) {
					attached = true
					if name != "a.txt" || string(data) != row.content {
						t.Errorf("attached %s with %d bytes", name, len(data))
					}
					return "a.txt of result 2", row.refusal
				},
			})
			if out != row.output || (err == nil) != (row.failure == "") || err != nil && !strings.Contains(err.Error(), row.failure) {
				t.Errorf("got %q, %v", out, err)
			}
			if attached != row.attached {
				t.Errorf("attached: %v", attached)
			}
		})
	}
}
