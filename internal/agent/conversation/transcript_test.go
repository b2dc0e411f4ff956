package conversation

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
)

// diary is a journal that writes down what it receives.
type diary struct {
	lines []string
	err   error
}

func (d *diary) write(format string, args ...any) error {
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
	return d.err
}

func (d *diary) Append(m llm.Message) error { return d.write("%s %s", m.Role, m.Content) }

func (d *diary) Compacted(summary string, kept int) error {
	return d.write("summary %s, %d kept", summary, kept)
}

func (d *diary) Detached(kept int, rest []llm.Message) error {
	return d.write("detached after %d: %d", kept, len(rest))
}

func (d *diary) Waiting(w Waiting) error {
	return d.write("waiting %d %v", len(w.Messages), w.DisableTools)
}

func newTestTranscript(journal Journal) *transcript {
	return newTranscript(journal, func(event.Event) {}, func() time.Time { return time.Unix(1, 0) })
}

func said(role llm.Role, content string) entry {
	return entry{Message: llm.Message{Role: role, Content: content}}
}

// contents returns the texts of all messages in a request without a system prompt.
func contents(t *transcript) string {
	messages, _ := t.request("")
	var out []string
	for _, m := range messages {
		out = append(out, m.Content)
	}
	return strings.Join(out, " ")
}

// TestTranscript checks what the history and the journal hold after a series of steps.
func TestTranscript(t *testing.T) {
	t.Parallel()
	once := func(tr *transcript) {
		e := said(llm.RoleUser, "once")
		e.eject = true
		tr.record(e)
	}
	chat := func(tr *transcript) {
		e := said(llm.RoleUser, "chat")
		e.eject, e.chat = true, true
		tr.record(e)
	}
	send := func(tr *transcript) {
		_, n := tr.request("")
		tr.sending(n)
	}
	image := func(tr *transcript) {
		e := said(llm.RoleUser, "image")
		e.Parts = []llm.Part{{Name: "a", Type: "image/png"}}
		tr.record(e)
	}
	for name, row := range map[string]struct {
		steps          []func(*transcript)
		holds, journal string
	}{
		"messages":           {nil, "u a", "user u|assistant a"},
		"sent once":          {[]func(*transcript){once}, "u a once", "user u|assistant a"},
		"saved apart":        {[]func(*transcript){once, func(tr *transcript) { tr.keepWaiting([]string{"B"}) }}, "u a once", "user u|assistant a|waiting 1 [B]"},
		"saved if changed":   {[]func(*transcript){func(tr *transcript) { tr.keepWaiting(nil) }}, "u a", "user u|assistant a"},
		"sent":               {[]func(*transcript){once, chat, send, func(tr *transcript) { tr.called(false) }}, "u a", "user u|assistant a"},
		"interrupted":        {[]func(*transcript){once, chat, send, func(tr *transcript) { tr.called(true) }}, "u a once", "user u|assistant a"},
		"added after it":     {[]func(*transcript){send, once, func(tr *transcript) { tr.called(false) }}, "u a once", "user u|assistant a"},
		"summarised":         {[]func(*transcript){once, func(tr *transcript) { tr.summarised(1, "s") }}, "s a once", "user u|assistant a|summary s, 1 kept"},
		"summary ends calls": {[]func(*transcript){once, send, func(tr *transcript) { tr.summarised(2, "s"); tr.called(false) }}, "s once", "user u|assistant a|summary s, 0 kept"},
		"detached":           {[]func(*transcript){image, func(tr *transcript) { tr.detach() }}, "u a image", "user u|assistant a|user image|detached after 2: 1"},
		"nothing detached":   {[]func(*transcript){func(tr *transcript) { tr.detach() }}, "u a", "user u|assistant a"},
		"replaced":           {[]func(*transcript){func(tr *transcript) { tr.fill([]entry{said(llm.RoleUser, "x")}) }}, "x", "user u|assistant a"},
		"restored":           {[]func(*transcript){func(tr *transcript) { tr.await(Waiting{Messages: []llm.Message{{Role: llm.RoleSystem, Content: "w"}}}) }}, "u a w", "user u|assistant a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			journal := &diary{}
			tr := newTestTranscript(journal)
			tr.record(said(llm.RoleUser, "u"))
			tr.record(said(llm.RoleAssistant, "a"))
			for _, step := range row.steps {
				step(tr)
			}
			if got := contents(tr); got != row.holds || len(strings.Fields(got)) != tr.length() {
				t.Errorf("the history holds %q, want %q", got, row.holds)
			}
			if got := strings.Join(journal.lines, "|"); got != row.journal {
				t.Errorf("the journal holds %q, want %q", got, row.journal)
			}
			if err := tr.saved(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFirstJournalErrorIsKept checks which error of the journal is reported, and for how long.
func TestFirstJournalErrorIsKept(t *testing.T) {
	t.Parallel()
	journal := &diary{err: errors.New("disk full")}
	tr := newTestTranscript(journal)
	tr.record(said(llm.RoleUser, "u"))
	journal.err = errors.New("later")
	tr.summarised(1, "s")
	if err := tr.saved(); err == nil || err.Error() != "saving the session: disk full" {
		t.Errorf("got %v", err)
	}
	if got := contents(tr); got != "s" {
		t.Errorf("the history holds %q", got)
	}
	tr.begin()
	if err := tr.saved(); err != nil {
		t.Errorf("in the next interaction: %v", err)
	}
}
