package builtin

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
)

// Truncation limits the output of a command. A limit of 0 means no limit.
type Truncation struct {
	// MaxOutputBytes is the maximum number of bytes that are returned.
	MaxOutputBytes int
	// MaxLines is the number of lines up to which the output is complete. If there are more, only the first HeadLines and the
	// last TailLines are returned.
	MaxLines  int
	HeadLines int
	TailLines int
}

// noteTokens is the maximum length of the note that replaces the omitted part, in tokens.
const noteTokens = 100

// Within returns limits for a model that receives at most the given number of tokens of a result. 0 means no limit. If the
// result were cut again, it would lose its end.
func (t Truncation) Within(tokens int) Truncation {
	// Even digits have more than 1.5 bytes per token. A text with fewer bytes per token only loses a part of its end.
	fits := max((tokens-noteTokens)*3/2, tokens)
	if tokens > 0 && (t.MaxOutputBytes == 0 || t.MaxOutputBytes > fits) {
		t.MaxOutputBytes = fits
	}
	return t
}

var defaultTruncation = Truncation{MaxOutputBytes: 1 << 20, MaxLines: 200, HeadLines: 100, TailLines: 80}

// memoryLimit is the maximum number of bytes kept in memory if MaxOutputBytes is not set.
const memoryLimit = 16 << 20

// clip is a writer that keeps the beginning and the end of its input. Once the input exceeds the limits, clip also stores all
// of it in a file. Its memory use does not depend on the size of the input.
type clip struct {
	bounds Truncation
	full   spill

	// head is the whole output until it is cut, and then its beginning. tail is the end of the output since it was cut.
	head, tail []byte
	cut        bool
	total      int64
	breaks     int64
	last       byte
}

func newClip(bounds Truncation, dir string) *clip {
	if bounds.MaxOutputBytes == 0 {
		bounds.MaxOutputBytes = memoryLimit
	}
	if bounds.MaxLines == 0 {
		bounds.MaxLines = math.MaxInt
	}
	return &clip{bounds: bounds, full: spill{dir: dir}}
}

// Write never fails.
func (c *clip) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c.total += int64(len(p))
	c.breaks += int64(bytes.Count(p, []byte{'\n'}))
	c.last = p[len(p)-1]
	if !c.cut && c.total <= int64(c.bounds.MaxOutputBytes) && c.lines() <= int64(c.bounds.MaxLines) {
		c.head = append(c.head, p...)
		return len(p), nil
	}
	if !c.cut {
		c.cut = true
		c.full.write(c.head)
		all := c.head
		c.head = bytes.Clone(c.beginning(append(all, p[:min(len(p), c.half())]...)))
		c.appendTail(all[min(len(all), len(c.head)):])
		c.appendTail(p[max(0, len(c.head)-len(all)):])
	} else {
		c.appendTail(p)
	}
	c.full.write(p)
	return len(p), nil
}

// lines returns the number of lines, including an unfinished last line.
func (c *clip) lines() int64 {
	if c.last != '\n' && c.total > 0 {
		return c.breaks + 1
	}
	return c.breaks
}

func (c *clip) half() int { return c.bounds.MaxOutputBytes / 2 }

// beginning returns the part of a text that may be shown before the gap.
func (c *clip) beginning(text []byte) []byte {
	text = text[:min(len(text), c.half())]
	if c.bounds.MaxLines == math.MaxInt {
		return text
	}
	end := 0
	for range c.bounds.HeadLines {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			return text
		}
		end += i + 1
	}
	return text[:end]
}

// end returns the part of a text that may be shown after the gap.
func (c *clip) end(text []byte) []byte {
	text = text[max(0, len(text)-c.half()):]
	if c.bounds.MaxLines == math.MaxInt {
		return text
	}
	start := len(text)
	for i := range c.bounds.TailLines {
		if i == 0 && start > 0 && text[start-1] == '\n' {
			start--
		}
		start = bytes.LastIndexByte(text[:start], '\n')
		if start < 0 {
			return text
		}
	}
	return text[min(start+1, len(text)):]
}

// appendTail appends to the tail. The tail may grow to twice its share before it is cut, so that small writes do not move it each
// time.
func (c *clip) appendTail(p []byte) {
	half := c.half()
	p = p[max(0, len(p)-half):]
	c.tail = append(c.tail, p...)
	if len(c.tail) > 2*half {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-half:]...)
	}
}

// String closes the file, if there is one, and returns the kept output as valid UTF-8. A note replaces the omitted part.
func (c *clip) String() string {
	if !c.cut {
		return valid(c.head)
	}
	tail := c.end(c.tail)
	bytesLeft := c.total - int64(len(c.head)) - int64(len(tail))
	if bytesLeft <= 0 {
		c.full.discard()
		return valid(append(c.head, tail...))
	}
	linesLeft := c.breaks - int64(bytes.Count(c.head, []byte{'\n'})) - int64(bytes.Count(tail, []byte{'\n'}))
	text := valid(c.head)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	left := fmt.Sprintf("%d bytes", bytesLeft)
	if linesLeft > 0 {
		left = fmt.Sprintf("%d lines (%d bytes)", linesLeft, bytesLeft)
	}
	return text + tool.LeftOutNote(left, c.full.close()) + "\n" + valid(tail)
}

func valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
