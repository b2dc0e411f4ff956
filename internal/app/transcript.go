package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/base/files"
)

// transcript is a copy of a journal in the form of Claude Code, for hooks that were written for that agent. It is written only if a hook
// asks for it. It may be used from any goroutine.
type transcript struct {
	path string

	mu      sync.Mutex
	journal *session.Follower
	line    foreign.TranscriptLine
	// begun is set once this process has replaced what an earlier one wrote.
	begun bool
}

func newTranscript(journal, id string) *transcript {
	return &transcript{path: filepath.Join(inspect.TranscriptDir(journal, id), "transcript"+session.Ext), journal: session.Follow(journal), line: foreign.TranscriptLine{Session: id}}
}

// update adds the messages since the last call, and returns the path. Relative paths in them are below workdir.
func (t *transcript) update(workdir string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.line.Dir = workdir
	added, err := t.journal.Next()
	if err == nil {
		err = t.open(func(file *os.File) error {
			for _, m := range added {
				t.line.Number++
				line, err := t.line.Encode(m)
				if err == nil {
					_, err = file.Write(line)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return "", fmt.Errorf("writing the transcript of the session: %w", err)
	}
	return t.path, nil
}

// open calls write with the file.
func (t *transcript) open(write func(*os.File) error) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !t.begun {
		flags |= os.O_TRUNC
		if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
			return err
		}
	}
	file, err := files.OpenNoFollow(t.path, flags, 0o600)
	if err != nil {
		return err
	}
	t.begun = true
	return errors.Join(write(file), file.Close())
}

// remove removes the file and its directory.
func (t *transcript) remove() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		return nil
	}
	t.begun = false
	if err := os.RemoveAll(filepath.Dir(t.path)); err != nil {
		return fmt.Errorf("removing the transcript of the session: %w", err)
	}
	return nil
}
