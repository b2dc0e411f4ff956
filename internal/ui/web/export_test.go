package web

import (
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/inspect"
)

// Markdown is markdown, for tests.
var Markdown = markdown

// ReadTwice reads a session twice while the list of sessions does not get old, and calls between after the first time.
func ReadTwice(source Source, id string, between func()) (rows []inspect.SessionRow, err error) {
	r := &reader{source: source}
	if _, _, err := r.sessions(); err != nil {
		return nil, err
	}
	r.listedAt = time.Now().Add(time.Hour)
	for range 2 {
		if _, err := r.session(id, func(row inspect.SessionRow, _ *session.Index) error {
			rows = append(rows, row)
			return nil
		}); err != nil {
			return nil, err
		}
		between()
		r.recent[id] = recentRow{} // the time of sessionAge is over
	}
	return rows, nil
}
