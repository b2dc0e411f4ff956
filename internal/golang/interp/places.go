package interp

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// place is a statement of a source, with the function that it belongs to. The function is empty for one that the source does not have.
type place struct {
	file     string
	line     int
	function string
}

// known holds the places of all sources by their numbers.
var known struct {
	sync.RWMutex

	places []place
	// starts holds the numbers of the first places of functions by the addresses of the nodes with which they begin.
	starts map[uintptr]uintptr
}

// places maps the positions of lowered source to places of the source.
type places struct {
	fset *token.FileSet
	// begins holds for each file where the texts of places begin.
	begins map[string][]begin
}

// begin is an offset in a lowered file, and the number of the place that begins there.
type begin struct {
	offset int
	number uintptr
}

// read reads the marks of a lowered file.
func (p *places) read(name string, text []byte) {
	known.Lock()
	defer known.Unlock()
	p.begins[name] = begins(text)
}

var marks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`/\*(?:at (\d+)|in (\S*)|out)\*/`) })

// begins reads the marks of a file.
func begins(text []byte) []begin {
	var out []begin
	var within []string
	now := place{}
	if first, _, ok := bytes.Cut(text, []byte("\n")); ok {
		now.file = strings.TrimPrefix(string(first), fileMark)
	}
	for _, m := range marks().FindAllSubmatchIndex(text, -1) {
		switch {
		case m[2] >= 0:
			now.line, _ = strconv.Atoi(string(text[m[2]:m[3]]))
		case m[4] >= 0:
			within = append(within, now.function)
			now.function = string(text[m[4]:m[5]])
		case len(within) > 0:
			now.function, within = within[len(within)-1], within[:len(within)-1]
		}
		if n := len(known.places); n == 0 || known.places[n-1] != now {
			known.places = append(known.places, now)
		}
		out = append(out, begin{m[1], uintptr(len(known.places) - 1)})
	}
	return out
}

// number returns the number of the place of a position.
func (p *places) number(at token.Pos) uintptr {
	position := p.fset.PositionFor(at, false)
	list := p.begins[position.Filename]
	i, _ := slices.BinarySearchFunc(list, position.Offset+1, func(b begin, offset int) int { return cmp.Compare(b.offset, offset) })
	if i == 0 {
		return 0
	}
	return list[i-1].number
}

// compileError matches an error of the interpreter about a lowered file.
var compileError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^(.*?/f\.go):(\d+):(\d+): (.*)$`) })

// located returns an error of the interpreter about lowered source with the place in the source.
func (p *places) located(err error) error {
	m := compileError().FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	number := uintptr(0)
	p.fset.Iterate(func(f *token.File) bool {
		if f.Name() != m[1] || line < 1 || line > f.LineCount() {
			return true
		}
		number = p.number(f.LineStart(line) + token.Pos(column-1))
		return false
	})
	known.RLock()
	defer known.RUnlock()
	at := known.places[number]
	return fmt.Errorf("%s:%d: %s", at.file, at.line, m[4])
}

// executed matches a function of a trace that executes a node, with the number of its place.
var executed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`/golang/interp\.run(?:Node|Checked|Call)\(\{0x([0-9a-f]+), %#x\}`, mark))
})

// inSource returns the places of the source in a trace of the stack, innermost first.
func inSource(trace string) []place {
	known.RLock()
	defer known.RUnlock()
	var out []place
	for _, m := range executed().FindAllStringSubmatch(trace, -1) {
		n, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil || n >= uint64(len(known.places)) || known.places[n].function == "" {
			continue
		}
		out = append(out, known.places[n])
	}
	return out
}

// running matches a function of a trace that executes a node, with the number of its place, or one that executes the nodes of a function, with the
// address of the first.
var running = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(executed().String() + `|/yaegi/interp\.runCfg\(0x([0-9a-f]+), `)
})

// betweenNodes returns the function of the source that executes none of its nodes at the moment, if it is the innermost: nodes that neither panic nor call
// anything leave no trace. The place is the first of the function.
func betweenNodes(trace string) (place, bool) {
	m := running().FindStringSubmatch(trace)
	if m == nil || m[2] == "" {
		return place{}, false
	}
	start, err := strconv.ParseUint(m[2], 16, 64)
	known.RLock()
	defer known.RUnlock()
	number, found := known.starts[uintptr(start)]
	if err != nil || !found || known.places[number].function == "" {
		return place{}, false
	}
	return known.places[number], true
}

// maxTrace is how much of a trace is read, in bytes. Go prints no more than a hundred functions of each goroutine.
const maxTrace = 64 << 10

// stackText returns the trace of the current goroutine.
func stackText() string {
	buf := make([]byte, maxTrace)
	return string(buf[:runtime.Stack(buf, false)])
}
