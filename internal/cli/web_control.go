package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

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
		Done: func(text string) { fmt.Fprintln(s.err, clean(text)) },
	}
}

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
			case k.open <- string(buf[:n]): // the first one answers; an empty one is the end of the input
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
// end of ctx refuse. Keys that were typed before the question do not count.
func (k *oneKey) confirm(ctx context.Context, about []string) (yes bool, err error) {
	answer := make(chan string, 1)
	if err := terminal.ReadKeys(k.in, true); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, terminal.ReadKeys(k.in, false)) }()
	if err := terminal.DiscardTyped(k.in); err != nil {
		return false, err
	}
	lines := make([]string, len(about))
	for i, line := range about {
		lines[i] = plaintext.Reveal(strings.ReplaceAll(line, "\n", " "))
	}
	k.mu.Lock()
	k.open = answer
	if k.ended {
		answer <- ""
	}
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.open = nil
	}()
	fmt.Fprintf(k.err, "? %s\n  y does it, every other key refuses: ", strings.Join(lines, "\n  "))
	k.reading.Do(func() { go k.read() })
	select {
	case text := <-answer:
		yes = text == "y"
	case <-ctx.Done():
	}
	fmt.Fprintln(k.err, map[bool]string{true: "y", false: "refused"}[yes])
	return yes, nil
}
