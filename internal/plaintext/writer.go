package plaintext

import (
	"io"
	"sync"
)

// Writer is a terminal that only text reaches. Several goroutines may write to it.
type Writer struct {
	mu    sync.Mutex
	to    io.Writer
	clean Cleaner
}

// NewWriter makes what is written visible, as Show does. aura's own carriage returns pass, by which progress is shown.
func NewWriter(to io.Writer) *Writer {
	return &Writer{to: to, clean: Cleaner{Visible: true, Returns: true}}
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(p)
	if w.clean.state != ground || w.clean.rest != "" || !harmless(text) {
		text = w.clean.Next(text)
	}
	if text == "" {
		return len(p), nil
	}
	if _, err := io.WriteString(w.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}
