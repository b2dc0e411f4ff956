package language_servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/idelchi/aura/sdk"
)

const (
	// calm is how many answers in a row make the failures before them forgotten.
	calm = 10
	// maxText is the size of the largest file that is sent to a server, in bytes, maxOpen how many files it has open.
	maxText = 2 << 20
	maxOpen = 50
	// settling is how long a server that publishes diagnostics by itself may add to them.
	settling = 300 * time.Millisecond
	// leaving is how long a server may take to end by itself.
	leaving = 500 * time.Millisecond
)

// errHung means that a server did not answer in time.
var errHung = errors.New("it did not answer in time")

// server is a language server for one language in one directory. The fields but turn belong to whoever holds the turn.
type server struct {
	language language
	root     string
	turn     chan struct{}

	client *client
	open   []document
	seen   map[string]stamp

	// failures counts the failures since the server was calm, answers the answers since the last failure. pause is how many edits pass before
	// the next start.
	failures, answers, pause int
	ended                    bool
	// told are the kinds of notices that the user has had.
	told map[string]bool
}

// document is a file that the server has open.
type document struct {
	path, text string
	version    int
}

// diagnose returns the diagnostics of files, and a notice for the user if something is wrong for the first time.
func (s *server) diagnose(ctx context.Context, o settings, files []string) (found []diagnostic, notice string) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ""
	}
	if s.ended {
		return nil, ""
	}
	if s.pause > 0 {
		s.pause--
		return nil, ""
	}
	for again := false; ; again = true {
		running := s.client != nil
		found, err := s.ask(ctx, o, files)
		if err == nil {
			s.answered()
			return found, ""
		}
		if ctx.Err() != nil {
			return nil, "" // the user interrupted the call; the server is not to blame
		}
		if errors.Is(err, exec.ErrNotFound) {
			s.ended = true
			sdk.Log.Info("the language server is not installed", "server", s.language.command[0])
			return nil, ""
		}
		s.failed(o, err)
		// A server that has worked until now is started again at once.
		if again || !running || errors.Is(err, errHung) || s.ended {
			return nil, s.notice(err)
		}
	}
}

// close ends the server.
func (s *server) close(ctx context.Context) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.client == nil {
		return
	}
	bound, cancel := context.WithTimeout(ctx, leaving)
	defer cancel()
	if _, err := s.client.await(bound, s.client.send("shutdown", nil)); err == nil {
		s.client.notify("exit", nil)
		select {
		case <-s.client.gone:
		case <-bound.Done():
		}
	}
	s.client.kill()
	s.client = nil
}

func (s *server) answered() {
	s.answers++
	if s.answers >= calm {
		s.failures = 0
	}
}

// failed ends the server and decides when it is started again: at once for the first time, and then after 1, 3, 7 edits and so on.
func (s *server) failed(o settings, err error) {
	sdk.Log.Warn("the language server failed", "server", s.language.command[0], "error", err.Error())
	if s.client != nil {
		s.client.kill()
	}
	s.client, s.answers = nil, 0
	s.failures++
	s.pause = 1<<uint(s.failures-1) - 1
	s.ended = s.failures > o.restarts
}

// notice returns the message that describes a failure to the user. It is empty if a failure of the same kind was reported before.
func (s *server) notice(err error) string {
	kind, text := "failed", "edits go on without its diagnostics, and it is started again later"
	if errors.Is(err, errHung) {
		kind = "hung"
	}
	if s.ended {
		kind, text = "ended", "it is not started again in this session"
	}
	if s.told[kind] {
		return ""
	}
	s.told[kind] = true
	return fmt.Sprintf("the language server %s failed: %v; %s", s.language.command[0], err, text)
}

// ask asks about files, within the time limit. It starts the server if it does not run.
func (s *server) ask(ctx context.Context, o settings, files []string) ([]diagnostic, error) {
	limit := o.wait
	if s.client == nil {
		limit = o.start
	}
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := s.exchange(bound, files)
	if err != nil && bound.Err() != nil {
		return nil, fmt.Errorf("%w (%s)", errHung, limit)
	}
	return found, err
}

func (s *server) exchange(ctx context.Context, files []string) ([]diagnostic, error) {
	if s.client == nil {
		started, err := startClient(ctx, s.language, s.root)
		if err != nil {
			return nil, err
		}
		s.client, s.open, s.seen = started, nil, s.look()
	}
	s.synchronize()
	var asked []question
	for _, file := range files {
		text, ok := readText(file)
		if !ok {
			continue // it is gone again, or not a text of a usual size
		}
		q := question{path: file, before: s.client.publication(file)}
		q.version, q.again = s.update(file, text)
		asked = append(asked, q)
	}
	return s.client.diagnostics(ctx, asked)
}

// synchronize tells the server what has changed on disk since the last edit, by whatever hand.
func (s *server) synchronize() {
	now := s.look()
	var events []any
	for path, at := range now {
		if old, ok := s.seen[path]; !ok {
			events = append(events, map[string]any{"uri": uriOf(path), "type": 1})
		} else if old != at {
			events = append(events, map[string]any{"uri": uriOf(path), "type": 2})
		}
	}
	for path := range s.seen {
		if _, ok := now[path]; !ok {
			events = append(events, map[string]any{"uri": uriOf(path), "type": 3})
		}
	}
	s.seen = now
	if len(events) > 0 {
		s.client.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": events})
	}
	open := s.open
	s.open = nil
	for _, d := range open {
		if text, ok := readText(d.path); !ok {
			s.client.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(d.path)}})
		} else {
			s.open = append(s.open, s.sent(d, text))
		}
	}
}

// update gives the server the text of a file and returns its version. again is set if the server has that text already. The files used last stay
// open.
func (s *server) update(file, text string) (version int, again bool) {
	d := document{path: file}
	for i, known := range s.open {
		if known.path == file {
			d = known
			s.open = append(s.open[:i:i], s.open[i+1:]...)
			break
		}
	}
	old := d.version
	if d.version == 0 {
		d.text, d.version = text, 1
		s.client.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": uriOf(file), "languageId": s.language.files[filepath.Ext(file)], "version": 1, "text": text,
		}})
	} else {
		d = s.sent(d, text)
	}
	s.open = append(s.open, d)
	if len(s.open) > maxOpen {
		s.client.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uriOf(s.open[0].path)}})
		s.open = s.open[1:]
	}
	return d.version, d.version == old
}

// sent sends the text of an open file if it has changed.
func (s *server) sent(d document, text string) document {
	if text == d.text {
		return d
	}
	d.text = text
	d.version++
	s.client.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(d.path), "version": d.version},
		"contentChanges": []any{map[string]any{"text": text}},
	})
	return d
}

// readText returns the text of a file. ok is false if there is none, or too much.
func readText(path string) (text string, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return "", false
	}
	data, err := os.ReadFile(path)
	return string(data), err == nil
}
