package background

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/tool"
)

// What is kept of the output of a command since the last look: its beginning and its end, in bytes. A list shows lastBytes.
const (
	headBytes = 16 << 10
	tailBytes = 48 << 10
	lastBytes = 4 << 10
)

// output is the output of a command. Its memory use does not depend on how much the command prints.
type output struct {
	// head and tail are the output since the last look. dropped bytes between them were not kept.
	head, tail []byte
	dropped    int64
	// last is the end of all output.
	last []byte
	// full says in which file the whole output is; empty if it is not known, or if nothing was left out.
	full string
}

// add appends text.
func (o *output) add(text string) {
	o.last = end(append(o.last, end([]byte(text), lastBytes)...), lastBytes)
	if len(o.tail) == 0 && o.dropped == 0 {
		n := min(len(text), headBytes-len(o.head))
		o.head, text = append(o.head, text[:n]...), text[n:]
	}
	o.dropped += int64(max(0, len(text)-tailBytes))
	o.tail = append(o.tail, text[max(0, len(text)-tailBytes):]...)
	if over := len(o.tail) - 2*tailBytes; over > 0 { // the end moves seldom
		o.cut()
	}
}

// cut shortens the end to its limit.
func (o *output) cut() {
	if over := len(o.tail) - tailBytes; over > 0 {
		o.dropped += int64(over)
		o.tail = append(o.tail[:0], o.tail[over:]...)
	}
}

// end returns the last bytes of a text.
func end(text []byte, most int) []byte { return text[max(0, len(text)-most):] }

// finish adds what the result of the command has beyond the output that was shown while it ran: where the whole output is, and what aura
// says about it.
func (o *output) finish(result string) {
	if from, to, ok := tool.FindLeftOutNote(result); ok {
		o.full = result[from:to]
	}
	shown := strings.TrimRight(string(end(o.last, lastBytes/4)), "\n")
	i := strings.LastIndex(result, shown)
	if i < 0 {
		return
	}
	if more := strings.Trim(result[i+len(shown):], "\n"); more != "" {
		o.add("\n" + more + "\n")
	}
}

// takeNew returns the output since the last look, and forgets it. If a filter is given, only the lines that match are returned.
func (o *output) takeNew(filter *regexp.Regexp) string {
	o.cut()
	head, tail := filtered(o.head, filter), filtered(o.tail, filter)
	text := head
	if o.dropped > 0 {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += fmt.Sprintf("[... %d bytes left out ...]\n", o.dropped)
	}
	o.head, o.tail, o.dropped = nil, nil, 0
	return text + tail
}

// filtered returns the lines of a text that match, as valid UTF-8.
func filtered(text []byte, filter *regexp.Regexp) string {
	valid := strings.ToValidUTF8(string(text), "\uFFFD")
	if filter == nil {
		return valid
	}
	var b strings.Builder
	for line := range strings.Lines(valid) {
		if filter.MatchString(strings.TrimRight(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// newest returns the end of the output, from the beginning of a line if there is one.
func (o *output) newest() string {
	text := o.last
	if len(text) == lastBytes {
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
