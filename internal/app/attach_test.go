package app

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
)

// TestAttached checks what a front end does with a pasted image and a pasted path: it asks whether they can be sent, and sends
// them.
func TestAttached(t *testing.T) {
	t.Parallel()
	const png = "\x89PNG\r\n\x1a\n"
	p := newPlace(t, map[string]string{
		".aura/config/talk.yaml": "model: {name: seeing, capabilities: [tools, vision]}\nturns: [{text: I see.}]\n", "a.png": png, "a.txt": "text", "a.pdf": "%PDF-1.7\n",
	})
	var out outcome
	var s frontend.Session
	opened, err := Open(t.Context(), p.o, &out)
	if err != nil {
		t.Fatal(err)
	}
	s = opened
	pasted, path := frontend.Attachment{Data: []byte(png)}, frontend.Attachment{Path: filepath.Join(p.dir, "a.png")}
	for _, a := range []frontend.Attachment{pasted, path} {
		if got, err := s.Attachable(t.Context(), a); err != nil || got.MediaType != "image/png" || got.Size != len(png) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	for refused, reason := range map[string]string{"a.txt": "neither an image", "a.pdf": "takes no PDF files"} {
		if _, err := s.Attachable(t.Context(), frontend.Attachment{Path: refused}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: got %v", refused, err)
		}
	}
	if err := frontend.Run(t.Context(), s, []string{"look at @a.txt"}, pasted, path, path); err != nil {
		t.Fatal(err)
	}
	if err := frontend.Run(t.Context(), s, []string{"and this"}, frontend.Attachment{Path: "a.pdf"}); err == nil {
		t.Error("a PDF file was sent")
	}
	first := opened.talk.History()[0]
	if err := s.Close(session.ReasonDone); err != nil {
		t.Fatal(err)
	}
	if len(first.Parts) != 2 || first.Parts[1].Name != path.Path || !strings.HasPrefix(first.Content, "look at @a.txt\n\n<file path=\"pasted-1.png\" type=\"image/png\" />") ||
		!strings.HasSuffix(first.Content, "<file path=\"a.txt\">\ntext\n</file>") {
		t.Errorf("sent %q with %d files", first.Content, len(first.Parts))
	}
	for _, e := range out.events {
		if m, ok := e.(event.Message); ok && m.Role == "user" && len(m.Attachments) != 2 {
			t.Errorf("got %+v", m)
		}
	}
}
