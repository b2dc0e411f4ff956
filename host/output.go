package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/files"
	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/redact"
)

// tailSize is how much of a child's last words is kept for error messages, in bytes.
const tailSize = 64 << 10

// excerptLines and excerptBytes bound what of a tail goes into an error message. The log has all of it.
const (
	excerptLines = 6
	excerptBytes = 1200
)

// excerpt picks the lines of a child's last words that tell why it died: for a Go crash the message before the stacks, and then
// where the interpreter says that it passed through; otherwise the last lines.
func excerpt(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	picked := lines[max(0, len(lines)-excerptLines):]
	for i, line := range slices.Backward(lines) {
		if crashLine.MatchString(line) {
			picked = append(slices.Clone(crashMessage(lines[i:])), places(lines[:i])...)
			break
		}
	}
	// The interpreter passes panics on, which says nothing about the plugin.
	out := strings.ReplaceAll(strings.Join(picked, "\n"), " [recovered, repanicked]", "")
	if len(out) > excerptBytes {
		out = fmt.Sprintf("… %d bytes left out …%s", len(out)-excerptBytes, out[len(out)-excerptBytes:])
	}
	return strings.TrimSpace(out)
}

// crashMessage is what stands before the stacks.
func crashMessage(lines []string) []string {
	end := 1
	for end < len(lines) && end < excerptLines && lines[end] != "" && !stackLine.MatchString(lines[end]) {
		end++
	}
	return lines[:end]
}

// places are the frames that end a list of lines, few of them.
func places(lines []string) []string {
	start := len(lines)
	for start > 0 && len(lines)-start < excerptLines/2 && frameLine.MatchString(lines[start-1]) {
		start--
	}
	return lines[start:]
}

// crashLine is how the Go runtime begins to tell of a death: a panic, a fatal error, or a signal.
var crashLine = regexp.MustCompile(`^(panic: |fatal error: |runtime: goroutine stack exceeds|SIG[A-Z]+: )`)

// stackLine is how the runtime goes on: with stacks, or with registers.
var stackLine = regexp.MustCompile(`^(goroutine |PC=)`)

// frameLine is how the interpreter tells where a panic passed through: file, line, column and function.
var frameLine = regexp.MustCompile(`^\S.*:\d+:\d+: panic: `)

// logFile is a plugin's log, capped in size. A nil logFile drops everything. Trouble with the disk must not trouble the
// session, so a failed write is remembered and told by Close.
type logFile struct {
	mu   sync.Mutex
	path string
	f    *os.File
	size int64
	err  error
	// hidden takes secrets out of what is written; nil leaves everything as it is.
	hidden *redact.Stream
	// within means that the last line has no end yet. The next piece belongs to it and gets no time.
	within bool
}

// LogTime is the layout of the time before each line of a log, in UTC. A blank follows.
const LogTime = "2006-01-02T15:04:05.000Z"

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
	// Whoever can put a link there must not choose where aura writes.
	f, err := files.OpenNoFollow(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
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
	text := string(p)
	if l.hidden != nil {
		text = l.hidden.Next(text)
	}
	l.writeLines(text)
	return len(p), nil
}

// writeLines puts the time before each line that begins in a text.
func (l *logFile) writeLines(text string) {
	now := time.Now().UTC().Format(LogTime) + " "
	for line := range strings.Lines(text) {
		if !l.within {
			line = now + line
		}
		l.within = !strings.HasSuffix(line, "\n")
		l.write(line, now)
	}
}

// hide takes secrets out of all that is written from here on.
func (l *logFile) hide(secrets *redact.Current) {
	if l == nil || secrets == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hidden = secrets.Stream()
}

// write appends a line or a part of one. What is left of it when the log is full begins a line in the next log.
func (l *logFile) write(line, now string) {
	for line != "" && l.f != nil {
		if l.size >= limit.Log {
			if l.rotate(now); l.f != nil {
				line = now + strings.TrimPrefix(line, now)
			}
			continue
		}
		n := min(int64(len(line)), limit.Log-l.size)
		w, err := l.f.WriteString(line[:n])
		l.size += int64(w)
		if err != nil {
			l.err = fmt.Errorf("writing plugin log: %w", err)
			break
		}
		line = line[n:]
	}
}

// rotate keeps the old log beside the new one. If that fails, logging ends.
func (l *logFile) rotate(now string) {
	err := l.f.Close()
	l.f = nil
	if err == nil {
		err = os.Rename(l.path, l.path+".1")
	}
	if err == nil {
		err = l.open()
	}
	if err == nil {
		var n int
		n, err = fmt.Fprintf(l.f, "%s[aura] a log has at most %s; what came before is in %s, and what came before that is gone\n",
			now, limit.Size(limit.Log), filepath.Base(l.path)+".1")
		l.size += int64(n)
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
	if l.hidden != nil {
		l.writeLines(l.hidden.End())
	}
	if l.within {
		l.writeLines("\n") // what the next session writes is a line of its own
	}
	if l.f == nil {
		return l.err
	}
	err := errors.Join(l.err, l.f.Close())
	l.f = nil
	return err
}
