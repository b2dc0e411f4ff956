package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
	"github.com/idelchi/aura/internal/ui/web"
)

// webControl returns what pages may do. Each request is asked for on the terminal, which the caller has checked to be one.
func webControl(s streams, dirs []string) *web.Control {
	k, _ := keyboardOf(s)
	keys := &oneKey{in: k.in, err: s.err}
	return &web.Control{
		Confirm: keys.confirm,
		Plugin: func(ctx context.Context, p host.Status, action host.Action) (host.Answer, error) {
			return p.Do(ctx, action)
		},
		Cancel: func(ctx context.Context, session string, turn int) error {
			return host.CancelTurn(ctx, session, turn, dirs...)
		},
		Answer: func(ctx context.Context, session, question, answer string) error {
			return host.AnswerQuestion(ctx, session, question, answer, dirs...)
		},
		Done: func(text string) { fmt.Fprintln(s.err, clean(text)) },
	}
}

// silentTime is how long no key may be pressed after a question has appeared before a key can answer it.
const silentTime = 400 * time.Millisecond

// oneKey asks questions that one key answers. A read from a terminal cannot be cancelled, so one goroutine reads, and what it reads while no
// question is open is dropped.
type oneKey struct {
	in  *os.File
	err io.Writer

	reading sync.Once
	// mu guards open, which receives what is typed while a question is open; nil for none.
	mu   sync.Mutex
	open chan string
	// ended is set when the input has ended, so that nobody answers any more.
	ended bool
}

// read passes on what is typed, until the input ends.
func (k *oneKey) read() {
	buf := make([]byte, 64)
	for {
		n, err := k.in.Read(buf)
		k.mu.Lock()
		if k.open != nil {
			select {
			case k.open <- string(buf[:n]): // an empty one is the end of the input
			default:
			}
		}
		k.ended = err != nil
		k.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// confirm shows what is asked for, and reports whether the next key is y alone. Every other key, several at once, the end of the input and the
// end of ctx refuse. Keys count after a silence, so that one that was meant for an earlier question or for nothing does not.
func (k *oneKey) confirm(ctx context.Context, about []string) (yes bool, err error) {
	if err := terminal.ReadKeys(k.in, true); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, terminal.ReadKeys(k.in, false)) }()
	lines := make([]string, len(about))
	for i, line := range about {
		lines[i] = plaintext.Reveal(strings.ReplaceAll(line, "\n", " "))
	}
	keys := k.listen()
	defer k.deafen()
	fmt.Fprintf(k.err, "? %s\n", strings.Join(lines, "\n  "))
	ending := "no longer asked"
	text, ok := "", quiet(ctx, keys)
	if ok {
		fmt.Fprint(k.err, "  y does it, every other key refuses: ")
		select {
		case text = <-keys:
		case <-ctx.Done():
			ok = false
		}
	}
	if yes = ok && text == "y"; ok {
		ending = map[bool]string{true: "y", false: "refused"}[yes]
	}
	fmt.Fprintln(k.err, ending)
	return yes, nil
}

// listen lets keys be received. After the end of the input, the first of them is empty.
func (k *oneKey) listen() chan string {
	k.reading.Do(func() { go k.read() })
	keys := make(chan string, 1)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = keys
	if k.ended {
		keys <- ""
	}
	return keys
}

// deafen lets keys be dropped.
func (k *oneKey) deafen() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = nil
}

// quiet waits until no key was pressed for a while, or the input has ended. It returns false if ctx ends first.
func quiet(ctx context.Context, keys chan string) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(silentTime):
			return true
		case key := <-keys:
			if key == "" {
				keys <- "" // which is the answer; nothing else is sent after it
				return true
			}
		}
	}
}
