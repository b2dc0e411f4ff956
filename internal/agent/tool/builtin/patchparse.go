package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/base/limit"
)

// The marker lines of a patch.
const (
	patchBegin  = "*** Begin Patch"
	patchEnd    = "*** End Patch"
	patchUpdate = "*** Update File: "
	patchAdd    = "*** Add File: "
	patchDelete = "*** Delete File: "
	patchMove   = "*** Move to: "
	patchEOF    = "*** End of File"
	patchHunk   = "@@"
	patchMark   = "*** "
)

// change is the part of a patch for one file.
type change struct {
	// head is patchUpdate, patchAdd or patchDelete.
	head string
	path string
	// move is the new path of an updated file. It is empty if the file is not moved.
	move string
	// content is the complete content of an added file.
	content string
	hunks   []hunk
}

// hunk is one changed place in a file.
type hunk struct {
	// anchors holds lines of the file, in order, that are before or at the start of the changed place.
	anchors []string
	lines   []hunkLine
	// last is set if the hunk is at the end of the file.
	last bool
}

// hunkLine is a line of a hunk. kind is its first character: a space, - or +.
type hunkLine struct {
	kind byte
	text string
}

// patchReader parses a patch line by line.
type patchReader struct {
	lines []string
	next  int
}

// parsePatch parses a patch. Errors name the line of the patch.
func parsePatch(text string) ([]change, error) {
	p := &patchReader{lines: strings.Split(unified(text), "\n")}
	p.skipBlank()
	if p.done() || strings.TrimSpace(p.nextLine()) != patchBegin {
		return nil, fmt.Errorf("a patch begins with the line %q and ends with %q", patchBegin, patchEnd)
	}
	var out []change
	for p.skipBlank(); !p.done(); p.skipBlank() {
		if strings.TrimSpace(p.lines[p.next]) == patchEnd {
			p.next++
			return p.finish(out)
		}
		c, err := p.change()
		if err != nil {
			return nil, err
		}
		if out = append(out, c); len(out) > limit.PatchFiles {
			return nil, fmt.Errorf("the patch names more than the limit of %d files; use several patches", limit.PatchFiles)
		}
	}
	return nil, fmt.Errorf("the last line of the patch must be %q; it may have been cut off", patchEnd)
}

func (p *patchReader) finish(changes []change) ([]change, error) {
	if p.skipBlank(); !p.done() {
		return nil, p.fault(p.next, "nothing may follow %q", patchEnd)
	}
	if len(changes) == 0 {
		return nil, errors.New("the patch names no file")
	}
	return changes, nil
}

func (p *patchReader) done() bool { return p.next >= len(p.lines) }

func (p *patchReader) nextLine() string {
	p.next++
	return p.lines[p.next-1]
}

func (p *patchReader) skipBlank() {
	for !p.done() && strings.TrimSpace(p.lines[p.next]) == "" {
		p.next++
	}
}

// fault returns an error at a line, counted from 0.
func (p *patchReader) fault(line int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w", line+1, fmt.Errorf(format, args...))
}

// change parses the part of a patch for one file.
func (p *patchReader) change() (change, error) {
	at := p.next
	line := p.nextLine()
	for _, head := range []string{patchUpdate, patchAdd, patchDelete} {
		path, ok := strings.CutPrefix(line, head)
		if !ok {
			continue
		}
		c := change{head: head, path: strings.TrimSpace(path)}
		if c.path == "" {
			return c, p.fault(at, "%q names no file", strings.TrimSpace(line))
		}
		var err error
		switch head {
		case patchAdd:
			c.content, err = p.content()
		case patchUpdate:
			err = p.update(&c)
		}
		return c, err
	}
	return change{}, p.fault(at, "expected %q, %q, %q or %q, found %q",
		patchUpdate+"PATH", patchAdd+"PATH", patchDelete+"PATH", patchEnd, shortened(line))
}

// content parses the lines of a new file.
func (p *patchReader) content() (string, error) {
	var out strings.Builder
	for !p.done() && !strings.HasPrefix(p.lines[p.next], patchMark) {
		line := p.nextLine()
		text, ok := strings.CutPrefix(line, "+")
		if !ok {
			at := p.next - 1
			if p.skipBlank(); line == "" && (p.done() || strings.HasPrefix(p.lines[p.next], patchMark)) {
				break
			}
			return "", p.fault(at, "every line of a new file begins with +, found %q", shortened(line))
		}
		out.WriteString(text + "\n")
	}
	return out.String(), nil
}

// update parses the hunks of an existing file.
func (p *patchReader) update(c *change) error {
	start := p.next - 1
	if !p.done() {
		if to, ok := strings.CutPrefix(p.lines[p.next], patchMove); ok {
			p.next++
			if c.move = strings.TrimSpace(to); c.move == "" {
				return p.fault(p.next-1, "%q names no file", strings.TrimSpace(patchMove))
			}
		}
	}
	for !p.done() && !p.atMark() {
		at := p.next
		h, err := p.hunk()
		if err != nil {
			return err
		}
		if len(h.lines) == 0 && len(h.anchors) == 0 && !h.last {
			continue // blank lines
		}
		if !slices.ContainsFunc(h.lines, func(l hunkLine) bool { return l.kind != ' ' }) {
			return p.fault(at, "hunk %d of %s changes nothing: it has no line that begins with - or +", len(c.hunks)+1, c.path)
		}
		c.hunks = append(c.hunks, h)
	}
	if len(c.hunks) == 0 && c.move == "" {
		return p.fault(start, "%s has no hunk", c.path)
	}
	return nil
}

// atMark reports whether the next line is a marker that ends the hunks of the file.
func (p *patchReader) atMark() bool {
	line := p.lines[p.next]
	return strings.HasPrefix(line, patchMark) && strings.TrimSpace(line) != patchEOF
}

// hunk parses anchors and then lines, up to the next hunk or file.
func (p *patchReader) hunk() (hunk, error) {
	var h hunk
	for !p.done() && strings.HasPrefix(p.lines[p.next], patchHunk) {
		if text := anchor(p.nextLine()); text != "" {
			h.anchors = append(h.anchors, text)
		}
	}
	for !p.done() && !p.atMark() && !strings.HasPrefix(p.lines[p.next], patchHunk) {
		line := p.nextLine()
		switch {
		case strings.TrimSpace(line) == patchEOF:
			h.last = true
			return h.trimmed(), nil
		case line == "": // a blank context line without its space, or a separator
			h.lines = append(h.lines, hunkLine{kind: 0})
		case line[0] == ' ' || line[0] == '-' || line[0] == '+':
			h.lines = append(h.lines, hunkLine{kind: line[0], text: line[1:]})
		case line[0] == '\\': // "\ No newline at end of file"
		default:
			return h, p.fault(p.next-1, "a line of a hunk begins with a space, - or +, found %q", shortened(line))
		}
	}
	return h.trimmed(), nil
}

// trimmed removes separator lines from the end and converts the others to context lines.
func (h hunk) trimmed() hunk {
	for len(h.lines) > 0 && h.lines[len(h.lines)-1].kind == 0 {
		h.lines = h.lines[:len(h.lines)-1]
	}
	for i := range h.lines {
		if h.lines[i].kind == 0 {
			h.lines[i].kind = ' '
		}
	}
	return h
}

// ranges matches the line numbers that other formats have after @@. They are often wrong and not needed.
var ranges = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)?( @@.*)?$`) })

// anchor returns the line of the file after @@, or "".
func anchor(line string) string {
	text := strings.TrimSpace(strings.TrimPrefix(line, patchHunk))
	if ranges().MatchString(text) {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(text, patchHunk))
}

// shortened limits the length of a line for messages.
func shortened(line string) string {
	const most = 120
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "..."
}
