package relay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Output keeps the end of what a program writes to its terminal. The zero value is ready for use.
type Output struct {
	tail []byte
	// cut is set if tail is not everything.
	cut bool
	// whole is set once the program has taken the whole screen. asks is set once it has written something that a terminal may answer.
	whole, asks bool

	// at is how much of a sequence that sets modes was seen, and mode the number that is being read there.
	at   modePart
	mode int
	// alternate is set if the sequence has named a mode of alternateScreens.
	alternate bool
}

// modePart is a part of the sequence ESC [ ? MODE ; MODE h.
type modePart int

const (
	outside modePart = iota
	afterEscape
	afterBracket
	inModes
)

// alternateScreens are the modes by which a program takes the whole screen of a terminal and gives it back.
var alternateScreens = []int{47, 1047, 1049}

// Write never fails.
func (o *Output) Write(p []byte) (int, error) {
	for _, b := range p {
		o.look(b)
	}
	const most = 2 * limit.Shared
	if len(p) > limit.Shared {
		o.tail, o.cut = o.tail[:0], true
		p = p[len(p)-limit.Shared:]
	}
	if len(o.tail)+len(p) > most {
		kept := copy(o.tail, o.tail[len(o.tail)-limit.Shared:])
		o.tail, o.cut = o.tail[:kept], true
	}
	o.tail = append(o.tail, p...)
	return len(p), nil
}

// look follows the sequences that set modes.
func (o *Output) look(b byte) {
	const enquiry, escape, firstC1, lastC1 = 0x05, 0x1b, 0x80, 0x9f
	o.asks = o.asks || b == enquiry || b == escape || b >= firstC1 && b <= lastC1
	switch {
	case b == escape:
		o.at = afterEscape
	case o.at == afterEscape && b == '[':
		o.at = afterBracket
	case o.at == afterBracket && b == '?':
		o.at, o.mode, o.alternate = inModes, 0, false
	case o.at == inModes && b >= '0' && b <= '9':
		const largest = 9999
		o.mode = min(o.mode*10+int(b-'0'), largest)
	case o.at == inModes && b == ';':
		o.alternate, o.mode = o.alternate || slices.Contains(alternateScreens, o.mode), 0
	case o.at == inModes && b == 'h':
		o.whole = o.whole || o.alternate || slices.Contains(alternateScreens, o.mode)
		o.at = outside
	default:
		o.at = outside
	}
}

// TookScreen reports whether the program used the whole screen, as an editor does. What it wrote then is no text to read.
func (o *Output) TookScreen() bool { return o.whole }

// Text returns the end of the output as plain text: without control sequences, and without what a later part of the same line has overwritten.
// cut reports whether something was written before it.
func (o *Output) Text() (text string, cut bool) {
	tail := o.tail
	if over := len(tail) - limit.Shared; over > 0 {
		tail, o.cut = tail[over:], true
	}
	if o.cut { // the first line is not whole
		if _, rest, ok := bytes.Cut(tail, []byte("\n")); ok {
			tail = rest
		}
	}
	cleaner := plaintext.Cleaner{Returns: true}
	text = cleaner.Next(string(tail))
	text += cleaner.End()
	var out strings.Builder
	for line := range strings.Lines(text) {
		body, ended := strings.CutSuffix(line, "\n")
		body = strings.TrimRight(body, "\r")
		out.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
		if ended {
			out.WriteByte('\n')
		}
	}
	return strings.Trim(out.String(), "\n"), o.cut
}
