package session

import (
	"fmt"
	"io"
	"os"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/files"
)

// Follower reads the messages that are added to a journal while a session runs. It belongs to one goroutine.
type Follower struct {
	scan  scan
	found []llm.Message
}

// Follow returns a Follower that begins with the first message of a journal.
func Follow(path string) *Follower {
	f := &Follower{scan: scan{path: path}}
	f.scan.reduce = f.collect
	return f
}

// Next returns the messages that were added since the last call, without the bytes of files. Messages that a rewind or a compaction
// removed later are among them.
func (f *Follower) Next() ([]llm.Message, error) {
	file, err := files.OpenNoFollow(f.scan.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("following journal: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(f.scan.size, io.SeekStart); err != nil {
		return nil, fmt.Errorf("following journal: %w", err)
	}
	f.found = nil
	if err := f.scan.read(file); err != nil {
		return nil, fmt.Errorf("following journal: %w", err)
	}
	return f.found, nil
}

// collect takes the message of a record. The session that the scan keeps needs only the number of messages.
func (f *Follower) collect(_ *Session, r *record) {
	switch {
	case r.Message != nil:
		r.Message.Parts = nil
		f.found = append(f.found, fromRecord(r.Message))
		r.Message = &message{Message: llm.Message{Role: r.Message.Role}}
	case r.Compaction != nil:
		r.Compaction.Summary = llm.Message{Role: r.Compaction.Summary.Role}
	}
}
