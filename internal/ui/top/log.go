package top

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/ui/terminal"
)

const (
	// logPart is how much of a log is read at a time, in bytes. A longer log is shown from there to its end.
	logPart = 256 << 10
	// keptLines is how many lines of a log are kept. Twice as many are kept before the oldest are dropped.
	keptLines = 5000
	// longestLine is where a line without an end is broken, in bytes.
	longestLine = 16 << 10
)

// Tail reads the end of a log, and later what was added to it. It holds no file open.
type Tail struct {
	path string
	// file is the log as it was at the last reading; nil before the first. offset is how much of it was read.
	file    fs.FileInfo
	offset  int64
	cleaner plaintext.Cleaner
	// rest is the beginning of a line whose end is not written yet.
	rest string
}

// NewTail returns a reader of the log at a path.
func NewTail(path string) *Tail { return &Tail{path: path} }

// Next returns the lines that were added, cleaned for users.
func (t *Tail) Next() (lines []string, err error) {
	f, err := files.OpenNoFollow(t.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	begins := false
	if t.file == nil || !os.SameFile(t.file, info) || info.Size() < t.offset {
		// The log is new to us: it was opened just now, or aura began another one.
		t.rest, t.cleaner = "", plaintext.Cleaner{Visible: true}
		t.offset = max(0, info.Size()-logPart)
		begins = t.offset > 0
	}
	t.file = info
	text, err := io.ReadAll(io.NewSectionReader(f, t.offset, logPart))
	t.offset += int64(len(text))
	lines = strings.Split(t.rest+t.cleaner.Next(string(text)), "\n")
	t.rest = lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	if begins && len(lines) > 0 {
		lines = lines[1:] // it begins in the middle
	}
	if len(t.rest) > longestLine {
		lines, t.rest = append(lines, t.rest), ""
	}
	return lines, err
}

// logView shows the log of a plugin.
type logView struct {
	of   host.Status
	tail Tail
	// text are the lines of the log. wrapped are the same lines for a width.
	text    []string
	wrapped []string
	width   int
	// offset is the first visible line of wrapped. follow keeps the end visible.
	offset int
	follow bool
	// failed is why the log cannot be read; empty if it can.
	failed string
}

func newLogView(s host.Status) *logView {
	v := &logView{of: s, tail: Tail{path: s.Log}, follow: true}
	v.poll()
	return v
}

// poll reads what was added.
func (v *logView) poll() {
	lines, err := v.tail.Next()
	switch {
	case v.of.Log == "":
		v.failed = "its session does not report where the log is"
	case errors.Is(err, fs.ErrNotExist):
		v.failed = "there is no log yet"
	case err != nil:
		v.failed = fmt.Sprintf("reading the log: %v", err)
	default:
		v.failed = ""
	}
	v.text = append(v.text, lines...)
	v.wrapped = append(v.wrapped, wrap(lines, v.width)...)
	if len(v.text) > 2*keptLines {
		dropped := len(v.text) - keptLines
		v.offset = max(0, v.offset-len(wrap(v.text[:dropped], v.width)))
		v.text = slices.Clone(v.text[dropped:])
		v.wrapped = wrap(v.text, v.width)
	}
}

// wrap breaks lines at a width.
func wrap(lines []string, width int) []string {
	var out []string
	for _, line := range lines {
		line = strings.ReplaceAll(line, "\t", "    ")
		for {
			part := prefix(line, width)
			out = append(out, part)
			if line = line[len(part):]; line == "" {
				break
			}
		}
	}
	return out
}

// prefix returns the longest beginning of a line that fits into a width, and at least one character. Width 0 is unlimited.
func prefix(line string, width int) string {
	if width == 0 || terminal.Width(line) <= width {
		return line
	}
	used, end := 0, 0
	for i, r := range line {
		w := terminal.Width(string(r))
		if used+w > width && i > 0 {
			break
		}
		used += w
		end = i + len(string(r))
	}
	return line[:end]
}

// key handles a key and reports whether the log is to be closed.
func (v *logView) key(key string, width, height int) (closed bool) {
	v.layOut(width, height)
	page := max(1, height-2)
	switch key {
	case "q", "esc", "enter", "l":
		return true
	case "up", "k":
		v.offset--
	case "down", "j":
		v.offset++
	case "pgup", "ctrl+b":
		v.offset -= page
	case "pgdown", "ctrl+f", "space":
		v.offset += page
	case "home", "g":
		v.offset = 0
	case "end", "G", "f":
		v.offset = len(v.wrapped)
	}
	// At the end, new lines are followed.
	v.follow = v.offset >= len(v.wrapped)-page
	return false
}

// layOut breaks the lines for a screen and keeps the visible part within the log.
func (v *logView) layOut(width, height int) {
	if width != v.width {
		v.width, v.wrapped = width, wrap(v.text, width)
	}
	last := max(0, len(v.wrapped)-max(1, height-2))
	if v.follow {
		v.offset = last
	}
	v.offset = min(max(0, v.offset), last)
}

func (v *logView) lines(look terminal.Look, width, height int) []terminal.Styled {
	v.layOut(width, height)
	paint := func(s terminal.Style, text string) terminal.Styled { return look.Paint(s, cut(text, width)) }
	lines := []terminal.Styled{paint(terminal.Strong, fmt.Sprintf("log of %s: %s", v.of.Name, v.of.Log))}
	for _, line := range v.wrapped[v.offset:min(len(v.wrapped), v.offset+max(1, height-2))] {
		lines = append(lines, look.Paint(terminal.Plain, line))
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	last := "q back  up/down scroll  G end"
	if v.follow {
		last = "q back  up/down scroll  following"
	}
	if v.failed != "" {
		return append(lines, paint(terminal.Failure, v.failed))
	}
	return append(lines, paint(terminal.Quiet, last))
}
