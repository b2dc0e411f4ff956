package files_test

import (
	"testing"

	"github.com/idelchi/aura/internal/base/files"
)

func TestMediaType(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\nrest":                    "image/png",
		"\xff\xd8\xff\xe0rest":                     "image/jpeg",
		"GIF89arest":                               "image/gif",
		"GIF87arest":                               "image/gif",
		"RIFF\x10\x00\x00\x00WEBPVP8 rest":         "image/webp",
		"%PDF-1.7\nrest":                           "application/pdf",
		"RIFF\x10\x00\x00\x00WAVEfmt rest":         "",
		"BM\x00\x00\x00\x00":                       "",
		"<svg xmlns='http://www.w3.org/2000/svg'>": "",
		"plain text":                               "",
		" %PDF-1.7":                                "",
		"":                                         "",
	} {
		if got := files.MediaType([]byte(content)); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}
