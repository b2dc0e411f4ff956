package tui

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/system/clipboard"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// attachable lists the endings of files that a paste attaches.
var attachable = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".wav", ".mp3", ".aiff", ".aif", ".aac", ".ogg", ".flac"}

// attach attaches a pasted file: the path of a media file, or its data as a data URL. It reports whether the paste is one.
func (u *UI) attach(text string) bool {
	a, ok := attachmentOf(strings.TrimSpace(text), u.o.Workdir, lookup(u.o.Environ, "HOME"))
	if !ok || u.session == nil {
		return false
	}
	u.attachFile(a, text)
	return true
}

// attachFile inserts the placeholder of a file that the model takes. text is what was pasted, which takes the place of a file that it does not take.
func (u *UI) attachFile(a frontend.Attachment, text string) {
	s := u.session
	go func() {
		described, err := s.Attachable(context.Background(), a)
		u.do(func() {
			if err != nil {
				u.say(terminal.Warning, "! "+terminal.Hanging(err.Error()))
				if a.Data == nil {
					u.prompt.pasteRaw(text)
				}
				return
			}
			u.prompt.insert(u.prompt.attach(described, a) + " ")
		})
	}()
}

// pasteClipboard attaches the image of the clipboard, or pastes its text. The user pressed a key for that, so it needs no consent.
func (u *UI) pasteClipboard() {
	if u.session == nil || u.dialog.asking() || u.dialog.covers() {
		return
	}
	go func() {
		c, err := clipboard.Read(context.Background(), clipboard.Options{System: runtime.GOOS, Environ: u.o.SafeEnviron, Dir: u.o.SafeDir})
		u.do(func() {
			switch {
			case err != nil:
				u.prompt.remark(err.Error())
			case c.Image != nil:
				u.attachFile(frontend.Attachment{Data: c.Image}, "")
			default:
				u.pasted(c.Text)
			}
		})
	}()
}

// attachmentOf returns the file that a pasted text names or holds.
func attachmentOf(text, workdir, home string) (frontend.Attachment, bool) {
	if rest, ok := strings.CutPrefix(text, "data:"); ok {
		kind, encoded, found := strings.Cut(rest, ";base64,")
		if !found || !strings.HasPrefix(kind, "image/") && !files.IsAudio(kind) && kind != files.PDF {
			return frontend.Attachment{}, false
		}
		data, err := base64.StdEncoding.DecodeString(encoded)
		return frontend.Attachment{Data: data}, err == nil && len(data) > 0
	}
	if strings.Contains(text, "\n") || !slices.Contains(attachable, strings.ToLower(filepath.Ext(strings.Trim(text, `'"`)))) {
		return frontend.Attachment{}, false
	}
	path := pathOf(text, workdir, home)
	info, err := os.Stat(path)
	return frontend.Attachment{Path: path}, err == nil && info.Mode().IsRegular()
}

// pathOf returns the path that a terminal pastes when a file is dropped on it: as a URL, quoted, or with backslashes.
func pathOf(text, workdir, home string) string {
	if at, err := url.Parse(text); err == nil && at.Scheme == "file" {
		return at.Path
	}
	if len(text) > 1 && strings.ContainsAny(text[:1], `'"`) && text[len(text)-1] == text[0] {
		text = text[1 : len(text)-1]
	} else {
		text = strings.ReplaceAll(text, `\ `, " ")
	}
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(workdir, text)
	}
	return text
}

// attach keeps a file until the line with its placeholder is sent, and returns the placeholder.
func (p *prompt) attach(e event.Attachment, a frontend.Attachment) string {
	if p.attached == nil {
		p.attached = map[string]frontend.Attachment{}
	}
	p.count++
	kind := "File"
	switch {
	case strings.HasPrefix(e.MediaType, "image/"):
		kind = "Image"
	case files.IsAudio(e.MediaType):
		kind = "Audio"
	}
	text := fmt.Sprintf("[%s #%d: %s, %d KB]", kind, p.count, plaintext.Line(filepath.Base(e.Name)), (e.Size+1023)/1024)
	p.attached[text] = a
	return text
}

// attachments returns the files whose placeholders are in a line, in the order of the placeholders, and forgets the files.
func (p *prompt) attachments(line string) []frontend.Attachment {
	var found []string
	for text := range p.attached {
		if strings.Contains(line, text) {
			found = append(found, text)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return strings.Index(line, a) - strings.Index(line, b) })
	var out []frontend.Attachment
	for _, text := range found {
		out = append(out, p.attached[text])
		delete(p.attached, text)
	}
	return out
}
