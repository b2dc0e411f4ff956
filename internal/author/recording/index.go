package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/files"
)

// Head is a call without its input and output.
type Head struct {
	// N, At, Turn, Plugin, Point, Name, Kind, Mixed, Redacted and Took are those of Call.
	N        int            `json:"n"`
	At       time.Time      `json:"at"`
	Turn     int            `json:"turn"`
	Plugin   string         `json:"plugin"`
	Point    string         `json:"point"`
	Name     string         `json:"name,omitempty"`
	Kind     host.ErrorKind `json:"kind,omitempty"`
	Mixed    bool           `json:"mixed,omitempty"`
	Redacted bool           `json:"redacted,omitempty"`
	Took     time.Duration  `json:"took_ns"`
}

const (
	// maxHeads is how many calls an Index knows, the first ones. Only a recording of calls that hardly contain anything has more.
	maxHeads = 200_000
	// maxListed is how many bytes of the entries of lists Index.Call reads at most.
	maxListed = 1 << 20
)

// Index knows where the calls of a recording are, so that a reader follows a recording that grows and reads only what it shows. It holds no
// inputs and outputs, and no file open between its calls. It belongs to one goroutine.
type Index struct {
	path string
	// info is the file at the last Update; nil before the first.
	info  os.FileInfo
	lines lines
	heads []Head
	calls []span
	// entries has, for each record with entries, its place and the number of its first entry.
	entries []entriesAt
	// names holds each name once, because most calls have the same ones.
	names map[string]string
	torn  bool
	full  bool
	err   error
}

// entriesAt is a record with entries.
type entriesAt struct {
	span

	first int
}

// NewIndex returns the index of a recording. It knows nothing until Update is called.
func NewIndex(path string) *Index { return &Index{path: path, names: map[string]string{}} }

// Update reads what was added to the recording. After an error, the next Update begins anew once the file has changed.
func (x *Index) Update() error {
	file, err := files.OpenNoFollow(x.path, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("reading recording: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("reading recording: %w", err)
	}
	same := x.info != nil && os.SameFile(x.info, info)
	if same && x.info.Size() == info.Size() && x.info.ModTime().Equal(info.ModTime()) {
		return x.err
	}
	if x.info != nil && (!same || x.err != nil || !x.lines.continued(file)) {
		*x = *NewIndex(x.path)
	}
	x.info = info
	x.torn, err = x.lines.read(x.path, io.NewSectionReader(file, x.lines.size, maxFile+1), x.add)
	if err == nil && x.lines.order.runs == 0 {
		err = fmt.Errorf("%s: %w", x.path, errEmpty)
	}
	if err != nil {
		x.err = fmt.Errorf("reading recording: %w", err)
	}
	return x.err
}

// continued reports whether the last line is still where it was. Its checksum is one of all lines before it, too.
func (l *lines) continued(file io.ReaderAt) bool {
	if l.number == 0 {
		return true
	}
	head := make([]byte, lineHead)
	_, err := file.ReadAt(head, l.last.offset)
	return err == nil && string(head) == lineStart+l.sum.String()+lineRest
}

// add applies the next record, which lines has counted.
func (x *Index) add(r record, at span) {
	switch {
	case r.Entries != nil:
		x.entries = append(x.entries, entriesAt{at, x.lines.order.entries - len(r.Entries)})
	case r.Call != nil && len(x.heads) < maxHeads:
		x.heads = append(x.heads, x.headOf(r.Call))
		x.calls = append(x.calls, at)
	case r.Full != nil:
		x.full = true
	}
}

func (x *Index) headOf(c *Call) Head {
	once := func(text string) string {
		if _, ok := x.names[text]; !ok {
			x.names[text] = text
		}
		return x.names[text]
	}
	return Head{
		N: c.N, At: c.At, Turn: c.Turn, Plugin: once(c.Plugin), Point: once(c.Point), Name: once(c.Name), Kind: host.ErrorKind(once(string(c.Kind))), Mixed: c.Mixed, Redacted: c.Redacted, Took: c.Took,
	}
}

// Heads returns the calls without what went in and out. The caller must not change them.
func (x *Index) Heads() []Head { return x.heads }

// Version changes whenever the recording does.
func (x *Index) Version() string {
	if x.info == nil {
		return ""
	}
	return fmt.Sprint(x.info.Size(), " ", x.info.ModTime().UnixNano())
}

// Whole is a call with its input, for people. Input and Out are JSON in the form of shared.EncodeExact.
type Whole struct {
	Head

	// Input is the context of a hook, or the struct of package shared for another call.
	Input json.RawMessage `json:"input"`
	// Without is how many of the first entries of each list of the context are left out, because the lists are long.
	Without map[string]int    `json:"without,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Out     json.RawMessage   `json:"output,omitempty"`
	Failure string            `json:"failure,omitempty"`
	// Asked is what the plugin asked of aura meanwhile.
	Asked   []host.Ask `json:"asked,omitempty"`
	Version string     `json:"version"`
}

// Call reads one call. Of lists that are long, only the last entries are read.
func (x *Index) Call(n int) (*Whole, error) {
	if n < 1 || n > len(x.calls) {
		return nil, fmt.Errorf("the recording has the calls 1 to %d", len(x.calls))
	}
	file, err := files.OpenNoFollow(x.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("reading recording: %w", err)
	}
	defer func() { _ = file.Close() }()
	r, err := recordAt(file, x.calls[n-1])
	if err == nil && (r.Call == nil || r.Call.N != n) {
		err = errMoved
	}
	if err != nil {
		return nil, fmt.Errorf("reading call %d of recording %s: %w", n, x.path, err)
	}
	c := r.Call
	without, err := x.addEntries(file, c)
	if err != nil {
		return nil, fmt.Errorf("reading call %d of recording %s: %w", n, x.path, err)
	}
	input, err := c.Input()
	if err != nil {
		return nil, err
	}
	return &Whole{Head: x.heads[n-1], Input: input, Without: without, Env: c.Env, Out: c.Out, Failure: c.Failure, Asked: c.Asked, Version: c.Version}, nil
}

// errMoved reports that a file was replaced since it was indexed.
var errMoved = errors.New("it was changed meanwhile")

// recordAt reads the record at a place. Its checksum was checked when it was indexed.
func recordAt(file io.ReaderAt, at span) (record, error) {
	line := make([]byte, at.length)
	if _, err := file.ReadAt(line, at.offset); err != nil && !errors.Is(err, io.EOF) {
		return record{}, err
	}
	if !bytes.HasPrefix(line, []byte(lineStart)) || len(line) < lineHead || line[len(line)-1] != '\n' {
		return record{}, errMoved
	}
	var r record
	if err := json.Unmarshal(append([]byte("{"), bytes.TrimSuffix(line[lineHead:], []byte("\n"))...), &r); err != nil {
		return record{}, errMoved
	}
	return r, nil
}

// addEntries reads the last entries of the lists of a call, and numbers them anew. It returns how many of each list are left out.
func (x *Index) addEntries(file io.ReaderAt, c *Call) (without map[string]int, err error) {
	var read []json.RawMessage
	for name, numbers := range c.Lists {
		// The budget is shared by the lists, so that one of them does not hide another.
		list, left, err := x.lastEntries(file, numbers, maxListed/len(c.Lists))
		if err != nil {
			return nil, err
		}
		if left > 0 {
			if without == nil {
				without = map[string]int{}
			}
			without[name] = left
		}
		c.Lists[name] = ranges{}
		if len(list) > 0 {
			c.Lists[name] = ranges{{len(read), len(read) + len(list)}}
		}
		read = append(read, list...)
	}
	c.entries = &read
	return without, nil
}

// lastEntries reads entries, the last ones first, until they have too many bytes. left is how many are not read.
func (x *Index) lastEntries(file io.ReaderAt, numbers ranges, budget int) (list []json.RawMessage, left int, err error) {
	var of entriesAt
	var group []json.RawMessage
	for _, r := range slices.Backward(numbers) {
		if r[0] < 0 || r[1] <= r[0] || r[1] > x.lines.order.entries {
			return nil, 0, fmt.Errorf("it names entries %d to %d of %d", r[0], r[1], x.lines.order.entries)
		}
		for n := r[1] - 1; n >= r[0]; n-- {
			if budget <= 0 {
				left += n - r[0] + 1
				break
			}
			if group == nil || n < of.first || n >= of.first+len(group) {
				i, found := slices.BinarySearchFunc(x.entries, n, func(e entriesAt, n int) int { return e.first - n })
				if !found {
					i--
				}
				of = x.entries[i]
				one, err := recordAt(file, of.span)
				if err != nil || n-of.first >= len(one.Entries) {
					return nil, 0, errors.Join(errMoved, err)
				}
				group = one.Entries
			}
			budget -= len(group[n-of.first])
			list = append(list, group[n-of.first])
		}
	}
	slices.Reverse(list)
	return list, left, nil
}

// Outcome says in a few words how a call ended.
func (h Head) Outcome() string {
	if h.Kind == "" {
		return "ok"
	}
	return "failed: " + string(h.Kind)
}

// Notes says what is missing.
func (x *Index) Notes() []string {
	var out []string
	if x.torn {
		out = append(out, "the end of the recording was not written completely and is left out")
	}
	if x.full {
		out = append(out, "the recording reached its limit: later calls are missing")
	}
	if left := x.lines.order.calls - len(x.heads); left > 0 {
		out = append(out, fmt.Sprintf("%d later calls are not listed", left))
	}
	return out
}
