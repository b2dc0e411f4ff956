package inspect

import (
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/setup"
)

// notices shows notices without secrets, one at a time. Its methods may be called from any goroutine.
type notices struct {
	// notify may be nil.
	notify  func(text string)
	secrets *redact.Current

	mu sync.Mutex
	// shown holds the texts that once has shown.
	shown map[string]bool
}

func newNotices(notify func(text string), secrets *redact.Current) *notices {
	return &notices{notify: notify, secrets: secrets, shown: map[string]bool{}}
}

// show shows a notice.
func (n *notices) show(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.send(text)
}

// once shows the notices that it has not shown before.
func (n *notices) once(texts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range texts {
		if !n.shown[text] {
			n.shown[text] = true
			n.send(text)
		}
	}
}

// send shows a notice. The caller holds the lock.
func (n *notices) send(text string) {
	if n.notify != nil {
		n.notify(n.secrets.Get().String(text))
	}
}

// event shows notices. Without a conversation, no other event matters to the user.
func (n *notices) event(e event.Event) {
	if notice, ok := e.(event.Notice); ok {
		n.show(notice.Text)
	}
}

// uncovered shows what the sandbox does not cover.
func (n *notices) uncovered(sentences []string) { n.once(setup.UncoveredNotices(sentences)...) }
