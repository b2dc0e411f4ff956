package host

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
)

// excerptLines and excerptBytes limit how much of the tail is included in an error message. The log contains all of it.
const (
	excerptLines = 6
	excerptBytes = 1200
)

// excerpt returns the lines of a child's last output that explain why it died. For a Go crash, these are the message before the
// stacks, followed by the frames that the interpreter printed. Otherwise, they are the last lines.
//
// compiled is set if the process runs a program that was compiled from the plugin.
func excerpt(text string, compiled bool) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	picked := lines[max(0, len(lines)-excerptLines):]
	for i, line := range slices.Backward(lines) {
		if crashLine().MatchString(line) {
			picked = append(slices.Clone(crashMessage(lines[i:])), places(lines[:i])...)
			if compiled {
				picked = append(picked, compiledPlaces(lines[i:])...)
			}
			break
		}
	}
	// The interpreter recovers panics and panics again, which is irrelevant to the plugin.
	out := strings.ReplaceAll(strings.Join(picked, "\n"), " [recovered, repanicked]", "")
	if len(out) > excerptBytes {
		out = fmt.Sprintf("… %d bytes left out …%s", len(out)-excerptBytes, out[len(out)-excerptBytes:])
	}
	return strings.TrimSpace(out)
}

// crashMessage returns the lines before the stacks.
func crashMessage(lines []string) []string {
	end := 1
	for end < len(lines) && end < excerptLines && lines[end] != "" && !stackLine().MatchString(lines[end]) {
		end++
	}
	return lines[:end]
}

// places returns the interpreter frames at the end of lines, at most excerptLines/2 of them.
func places(lines []string) []string {
	start := len(lines)
	for start > 0 && len(lines)-start < excerptLines/2 && frameLine().MatchString(lines[start-1]) {
		start--
	}
	return lines[start:]
}

// compiledPlaces returns the frames of a compiled plugin in the stack of the goroutine that crashed, at most excerptLines/2 of them, in the
// form of the interpreter's frames. Each package of a compiled plugin is a module of its own, so its files have a version in their path.
func compiledPlaces(lines []string) []string {
	start := slices.IndexFunc(lines, func(line string) bool { return stackLine().MatchString(line) })
	if start < 0 {
		return nil
	}
	var out []string
	for i := start + 1; i+1 < len(lines) && lines[i] != "" && len(out) < excerptLines/2; i += 2 {
		if m := compiledFrame().FindStringSubmatch(lines[i+1]); m != nil && !strings.HasPrefix(lines[i], "created by ") {
			out = append(out, m[1]+m[2]+": panic: "+lines[i])
		}
	}
	return out
}

// initPanic returns the message of a panic in a compiled plugin's init functions or initial values, with the place. It reports false for any
// other output.
func initPanic(text string) (message string, ok bool) {
	lines := strings.Split(text, "\n")
	for i, line := range slices.Backward(lines) {
		first, found := strings.CutPrefix(line, "panic: ")
		if !found {
			continue
		}
		message = strings.Join(append([]string{first}, crashMessage(lines[i:])[1:]...), "\n")
		start := slices.IndexFunc(lines[i:], func(line string) bool { return stackLine().MatchString(line) })
		if start < 0 || !strings.HasPrefix(lines[i+start], "goroutine 1 [") {
			return "", false
		}
		place := ""
		for j := i + start + 1; j+1 < len(lines) && lines[j] != ""; j += 2 {
			m := compiledFrame().FindStringSubmatch(lines[j+1])
			switch {
			case strings.HasPrefix(lines[j], "main."):
				return "", false
			case m != nil && place == "":
				place = fmt.Sprintf(" (in %s, %s)", initName(lines[j]), path.Base(m[2]))
			}
		}
		if place != "" {
			return message + place, true
		}
		break
	}
	return "", false
}

// initName returns the name of the function of a frame, without its arguments. The compiler numbers init functions.
func initName(frame string) string {
	name := path.Base(frame[:max(strings.LastIndexByte(frame, '('), 0)])
	if of, _, ok := strings.Cut(name, ".init."); ok {
		return of + ".init"
	}
	return name
}

// compiledFrame matches the second line of a frame of a compiled plugin: the package, the file and the line.
var compiledFrame = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\t(\S+)@v\d[^/\s]*(/\S+:\d+)( \+0x|$)`) })

// crashLine matches the first line that the Go runtime prints for a crash: a panic, a fatal error, or a signal.
var crashLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(panic: |fatal error: |runtime: goroutine stack exceeds|SIG[A-Z]+: )`)
})

// stackLine matches the lines that follow the crash message: stacks or registers.
var stackLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(goroutine |PC=)`) })

// frameLine matches the line that the interpreter prints for each frame of a panic: file, line, column and function.
var frameLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S.*:\d+: panic: `) })

// logFile is a plugin's log, limited in size. A nil logFile drops everything. Disk errors must not affect the session, so a
// failed write is recorded and returned by Close.
type logFile struct {
	mu   sync.Mutex
	path string
	f    *os.File
	size int64
	err  error
	// hidden removes secrets from the output; nil writes it unchanged.
	hidden *redact.Stream
	// within reports that the last line is not complete yet. The next write continues that line, without a time.
	within bool
	// leveled receives the lines that sdk.Log wrote; nil for none. line is the last line, which is not complete yet, cut at
	// limit.Notice.
	leveled func(level, text string)
	line    string
}

// levelLine matches a line of sdk.Log.
var levelLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(debug|info|warn|error)\] (.*)`) })

// report passes a complete line of sdk.Log on.
func (l *logFile) report(part string) {
	if l.leveled == nil {
		return
	}
	l.line += part[:min(len(part), max(0, limit.Notice-len(l.line)))]
	if !strings.HasSuffix(part, "\n") {
		return
	}
	if m := levelLine().FindStringSubmatch(strings.TrimRight(l.line, "\n")); m != nil {
		l.leveled(m[1], m[2])
	}
	l.line = ""
}

// LogTime is the layout of the time before each line of a log, in UTC. A space follows it.
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
	// OpenNoFollow refuses a symbolic link, so that a link planted by another process cannot choose where aura writes.
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

// Write never fails: a plugin's child must not notice that its log cannot be written.
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

// writeLines writes a text and adds the time before each line that begins in it.
func (l *logFile) writeLines(text string) {
	now := time.Now().UTC().Format(LogTime) + " "
	for line := range strings.Lines(text) {
		l.report(line)
		if !l.within {
			line = now + line
		}
		l.within = !strings.HasSuffix(line, "\n")
		l.write(line, now)
	}
}

// hide removes secrets from all subsequent output.
func (l *logFile) hide(secrets *redact.Current) {
	if l == nil || secrets == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hidden = secrets.Stream()
}

// write appends a line or a part of one. If the log is full, the rest of the line begins a new line in the next log.
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

// rotate keeps the old log next to the new one. If that fails, logging stops.
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

// Close closes the log and returns the first error that occurred.
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
		l.writeLines("\n") // so that the next session begins a new line
	}
	if l.f == nil {
		return l.err
	}
	err := errors.Join(l.err, l.f.Close())
	l.f = nil
	return err
}
