package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
)

// TestAttachmentOf has a row for each kind of text that can name or hold a file.
func TestAttachmentOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.png", "song.MP3", "talk.flac", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"a.png": filepath.Join(dir, "a.png"), "song.MP3": filepath.Join(dir, "song.MP3"), "'talk.flac'": filepath.Join(dir, "talk.flac"),
		"data:audio/wav;base64,eA==": "x", "data:image/png;base64,eA==": "x", "data:application/pdf;base64,eA==": "x",
		"notes.txt": "", "none.wav": "", "a.png\n": "", "data:text/plain;base64,eA==": "", "data:audio/wav;base64,": "", "data:audio/wav,x": "",
	} {
		a, ok := attachmentOf(text, dir, dir)
		if got := a.Path + string(a.Data); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %v", text, got, ok)
		}
	}
}

// TestPlaceholder has a row for each kind of file.
func TestPlaceholder(t *testing.T) {
	t.Parallel()
	for mediaType, want := range map[string]string{"image/png": "[Image #1: a, 1 KB]", "audio/mpeg": "[Audio #1: a, 1 KB]", "application/pdf": "[File #1: a, 1 KB]"} {
		p := &prompt{}
		if got := p.attach(event.Attachment{Name: "dir/a", MediaType: mediaType, Size: 3}, frontend.Attachment{}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
