package files_test

import (
	"strings"
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
		"RIFF\x10\x00\x00\x00WAVEfmt rest":         "audio/wav",
		"RIFF\x10\x00\x00\x00AVI LIST":             "",
		"RIFF\x10\x00\x00\x00WAV":                  "",
		"FORM\x00\x00\x00\x10AIFFCOMM":             "audio/aiff",
		"FORM\x00\x00\x00\x10AIFCFVER":             "audio/aiff",
		"FORM\x00\x00\x00\x10ILBMBMHD":             "",
		"fLaC\x00\x00\x00\x22":                     "audio/flac",
		"ID3\x04\x00\x00rest":                      "audio/mpeg",
		"\xff\xfb\x90\x64rest":                     "audio/mpeg",
		"\xff\xf3\x90\x64rest":                     "audio/mpeg",
		"\xff\xe2\x90\x64rest":                     "audio/mpeg",
		"\xff\xeb\x90\x64rest":                     "", // a version that is reserved
		"\xff\xfb\xf0\x64rest":                     "", // no such bit rate
		"\xff\xfb\x9c\x64rest":                     "", // no such sampling frequency
		"\xff\xfd\x90\x64rest":                     "", // MPEG layer II
		"\xff\xfb\x90":                             "",
		"\xff\xf1\x50\x80rest":                     "audio/aac",
		"\xff\xf9\x50\x80rest":                     "audio/aac",
		"\xff\xf1\x7c\x80rest":                     "", // no such sampling frequency
		"\xff\xfea\x00b\x00":                       "", // text in UTF-16
		ogg("\x01vorbis"):                          "audio/ogg",
		ogg("OpusHead"):                            "audio/ogg",
		ogg("\x80theora"):                          "",
		"OggS":                                     "",
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

// ogg returns the beginning of an Ogg file with a first packet.
func ogg(packet string) string {
	return "OggS" + strings.Repeat("\x00", 22) + "\x01\x1e" + packet
}

func TestEnding(t *testing.T) {
	t.Parallel()
	for mediaType, want := range map[string]string{"image/png": "png", files.PDF: "pdf", files.WAV: "wav", files.MP3: "mp3", files.FLAC: "flac"} {
		if got := files.Ending(mediaType); got != want {
			t.Errorf("%s: got %q, want %q", mediaType, got, want)
		}
	}
}
