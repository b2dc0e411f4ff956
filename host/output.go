package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// tailSize is how much of a child's last words is kept for error messages, in bytes.
const tailSize = 64 << 10

// tail keeps the end of what was written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > tailSize {
		p = p[len(p)-tailSize:]
	}
	if over := len(t.buf) + len(p) - tailSize; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// excerptLines and excerptBytes bound what of a tail goes into an error message. The log has all of it.
const (
	excerptLines = 6
	excerptBytes = 1200
)

// excerpt picks the lines of a child's last words that tell why it died: for a Go crash the message before the stacks,
// otherwise the last lines.
func excerpt(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	start := max(0, len(lines)-excerptLines)
	end := len(lines)
	for i := len(lines) - 1; i >= 0; i-- {
		if crashLine.MatchString(lines[i]) {
			start = i
			end = i + 1
			for start > 0 && end-start < excerptLines/2 && frameLine.MatchString(lines[start-1]) {
				start--
			}
			for end < len(lines) && end-start < excerptLines && lines[end] != "" && !strings.HasPrefix(lines[end], "goroutine ") && !strings.HasPrefix(lines[end], "PC=") {
				end++
			}
			break
		}
	}
	// The interpreter passes panics on, which says nothing about the plugin.
	out := strings.ReplaceAll(strings.Join(lines[start:end], "\n"), " [recovered, repanicked]", "")
	if len(out) > excerptBytes {
		out = fmt.Sprintf("… %d bytes left out …%s", len(out)-excerptBytes, out[len(out)-excerptBytes:])
	}
	return strings.TrimSpace(out)
}

// crashLine is how the Go runtime begins to tell of a death: a panic, a fatal error, or a signal.
var crashLine = regexp.MustCompile(`^(panic: |fatal error: |runtime: goroutine stack exceeds|SIG[A-Z]+: )`)

// frameLine is how the interpreter tells where a panic passed through: file, line, column and function.
var frameLine = regexp.MustCompile(`^\S.*:\d+:\d+: panic: `)

// logLimit is the size at which a plugin's log is moved aside, in bytes. One old log is kept.
const logLimit = 1 << 20

// logFile is a plugin's log, capped in size. A nil logFile drops everything. Trouble with the disk must not trouble the
// session, so a failed write is remembered and told by Close.
type logFile struct {
	mu   sync.Mutex
	path string
	f    *os.File
	size int64
	err  error
}

func openLog(path string) (*logFile, error) {
	if path == "" {
		return nil, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("creating plugin log: %w", err)
	}
	l := &logFile{path: path}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening plugin log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("opening plugin log: %w", err), f.Close())
	}
	l.f, l.size = f, info.Size()
	return nil
}

// Write never fails: a plugin's child must not notice that its log cannot be kept.
func (l *logFile) Write(p []byte) (int, error) {
	if l == nil {
		return len(p), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		if l.f == nil {
			break
		}
		if l.size >= logLimit {
			l.rotate()
			continue
		}
		n := int64(len(rest))
		n = min(n, logLimit-l.size)
		w, err := l.f.Write(rest[:n])
		l.size += int64(w)
		if err != nil {
			l.err = fmt.Errorf("writing plugin log: %w", err)
			break
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// rotate keeps the old log beside the new one. If that fails, logging ends.
func (l *logFile) rotate() {
	err := l.f.Close()
	l.f = nil
	if err == nil {
		err = os.Rename(l.path, l.path+".1")
	}
	if err == nil {
		err = l.open()
	}
	if err != nil {
		l.err = fmt.Errorf("rotating plugin log: %w", err)
	}
}

func (l *logFile) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(l, format+"\n", args...)
}

// Close returns the first thing that went wrong.
func (l *logFile) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return l.err
	}
	err := errors.Join(l.err, l.f.Close())
	l.f = nil
	return err
}
