package builtin

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The lines that divide a patch.
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

// change is what a patch does to one file.
type change struct {
	// head is patchUpdate, patchAdd or patchDelete.
	head string
	path string
	// move is where an updated file shall go; empty if it stays.
	move string
	// content is all of an added file.
	content string
	hunks   []hunk
}

// hunk is one place in a file that is changed.
type hunk struct {
	// anchors are lines of the file, one below the other, before or at the beginning of the place.
	anchors []string
	lines   []hunkLine
	// last is set if the place is the end of the file.
	last bool
}

// hunkLine is a line with the character before it: a space, - or +.
type hunkLine struct {
	kind byte
	text string
}

// patchReader reads a patch line by line.
type patchReader struct {
	lines []string
	next  int
}

// parsePatch reads a patch. Errors name the line of the patch.
func parsePatch(text string) ([]change, error) {
	p := &patchReader{lines: strings.Split(unified(text), "\n")}
	p.skipBlank()
	if p.done() || strings.TrimSpace(p.take()) != patchBegin {
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
		out = append(out, c)
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

func (p *patchReader) take() string {
	p.next++
	return p.lines[p.next-1]
}

func (p *patchReader) skipBlank() {
	for !p.done() && strings.TrimSpace(p.lines[p.next]) == "" {
		p.next++
	}
}

// fault is an error at a line, counted from 0.
func (p *patchReader) fault(line int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w", line+1, fmt.Errorf(format, args...))
}

// change reads the part of a patch that is about one file.
func (p *patchReader) change() (change, error) {
	at := p.next
	line := p.take()
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

// content reads the lines of a new file.
func (p *patchReader) content() (string, error) {
	var out strings.Builder
	for !p.done() && !strings.HasPrefix(p.lines[p.next], patchMark) {
		line := p.take()
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

// update reads the hunks of a file that exists.
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

// atMark reports whether the next line belongs to no hunk.
func (p *patchReader) atMark() bool {
	line := p.lines[p.next]
	return strings.HasPrefix(line, patchMark) && strings.TrimSpace(line) != patchEOF
}

// hunk reads anchors, then lines, up to the next hunk or file.
func (p *patchReader) hunk() (hunk, error) {
	var h hunk
	for !p.done() && strings.HasPrefix(p.lines[p.next], patchHunk) {
		if text := anchor(p.take()); text != "" {
			h.anchors = append(h.anchors, text)
		}
	}
	for !p.done() && !p.atMark() && !strings.HasPrefix(p.lines[p.next], patchHunk) {
		line := p.take()
		switch {
		case strings.TrimSpace(line) == patchEOF:
			h.last = true
			return h.trimmed(), nil
		case line == "": // a blank line whose space was lost, or one that only divides
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

// trimmed drops dividing lines from the end and takes the others for context.
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

// ranges are the line numbers that other formats have after @@. They are often wrong and not needed.
var ranges = regexp.MustCompile(`^-\d+(,\d+)? \+\d+(,\d+)?( @@.*)?$`)

// anchor returns the line of the file that stands after @@, if one does.
func anchor(line string) string {
	text := strings.TrimSpace(strings.TrimPrefix(line, patchHunk))
	if ranges.MatchString(text) {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(text, patchHunk))
}

// shortened is for messages.
func shortened(line string) string {
	const limit = 120
	if len(line) <= limit {
		return line
	}
	return strings.ToValidUTF8(line[:limit], "") + "..."
}
