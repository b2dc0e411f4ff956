package server

import (
	"fmt"
	"strings"
	"sync"
)

// lastWords keeps the last errors of a server, for a server that does not start.
type lastWords struct {
	mu    sync.Mutex
	lines []string
}

const maxWords = 5

func (w *lastWords) add(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
	w.lines = w.lines[max(len(w.lines)-maxWords, 0):]
}

func (w *lastWords) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) == 0 {
		return "it does not accept connections"
	}
	return strings.Join(w.lines, "; ")
}

// Fatalf implements server.Logger.
func (w *lastWords) Fatalf(format string, args ...any) { w.add(format, args...) }

// Errorf implements server.Logger.
func (w *lastWords) Errorf(format string, args ...any) { w.add(format, args...) }

// Noticef implements server.Logger.
func (*lastWords) Noticef(string, ...any) {}

// Warnf implements server.Logger.
func (*lastWords) Warnf(string, ...any) {}

// Debugf implements server.Logger.
func (*lastWords) Debugf(string, ...any) {}

// Tracef implements server.Logger.
func (*lastWords) Tracef(string, ...any) {}
