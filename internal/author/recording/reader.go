package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/limit"
)

// Recording is a recording read back.
type Recording struct {
	Path  string
	Runs  []Run
	Calls []*Call
	// Talk is how the first recorded conversation began; nil if none did. Prompts, Answers and Results are in order.
	Talk    *Talk
	Prompts []string
	Answers []Answer
	Results []Ran
	// Torn reports that the end is incomplete: the process that wrote the file was killed, or still writes it. An incomplete record is left
	// out.
	Torn bool
	// Full reports that the recording reached its limit, so later calls are missing.
	Full bool

	starts  []start
	entries []json.RawMessage
	size    int64
	sum     sum
}

// start is a Start with its run.
type start struct {
	Start
	run int
}

// errEmpty is the error of a file without a complete first record.
var errEmpty = errors.New("no complete first record: nothing was recorded")

// Open reads a recording. It leaves out an incomplete last record; see Recording.Torn.
func Open(path string) (*Recording, error) {
	file, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading recording: %w", err)
	}
	defer func() { _ = file.Close() }()
	r, err := read(path, file)
	if err != nil {
		return nil, fmt.Errorf("reading recording: %w", err)
	}
	return r, nil
}

// maxFile is the size of the largest file that is read: the limit, and the record that says that it was reached.
const maxFile = limit.Recording + 1<<10

// read reads a recording from the beginning of a file.
func read(path string, from io.Reader) (*Recording, error) {
	out := &Recording{Path: path}
	var at lines
	torn, err := at.read(path, from, func(r record, _ span) { out.add(r) })
	if err != nil {
		return nil, err
	}
	if out.Torn, out.size, out.sum = torn, at.size, at.sum; len(out.Runs) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errEmpty)
	}
	return out, nil
}

// lines is how far the lines of a recording were read: how many, how many bytes they have, and their checksum.
type lines struct {
	number int
	size   int64
	sum    sum
	// last is the place of the last line.
	last span
	// order is what the records say so far.
	order order
}

// span is the place of a line in a file.
type span struct {
	offset int64
	length int
}

// read reads the lines that follow, and calls add with each record and its place. It reports whether the end is incomplete: the next read may
// begin there again.
func (l *lines) read(path string, from io.Reader, add func(record, span)) (incomplete bool, err error) {
	in := bufio.NewReaderSize(io.LimitReader(from, maxFile+1-l.size), 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		complete := err == nil
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		if len(line) == 0 {
			return false, nil
		}
		if line[0] == 0 { // the zeros that a Writer removes when it closes the file
			return true, nil
		}
		if l.size+int64(len(line)) > maxFile {
			return false, fmt.Errorf("%s has more than %d MiB, which is the limit: not a recording of aura", path, limit.Recording>>20)
		}
		next, more := in.Peek(1)
		last := more != nil || next[0] == 0
		r, after, err := l.sum.decode(bytes.TrimSuffix(line, []byte("\n")))
		if last && (!complete || torn(line, err)) {
			return true, nil
		}
		if err == nil {
			err = l.order.follow(r)
		}
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", path, l.number+1, err)
		}
		add(r, span{l.size, len(line)})
		l.number, l.size, l.sum, l.last = l.number+1, l.size+int64(len(line)), after, span{l.size, len(line)}
	}
}

// torn reports whether a complete last line looks like one whose bytes did not all reach the disk. An edited line is valid JSON.
func torn(line []byte, err error) bool { return err != nil && !json.Valid(line) }

// add applies the next record.
func (r *Recording) add(next record) {
	switch {
	case next.Run != nil:
		r.Runs = append(r.Runs, *next.Run)
	case next.Entries != nil:
		r.entries = append(r.entries, next.Entries...)
	case next.Start != nil:
		r.starts = append(r.starts, start{*next.Start, len(r.Runs)})
	case next.Call != nil:
		next.Call.entries, next.Call.run = &r.entries, len(r.Runs)
		r.Calls = append(r.Calls, next.Call)
	case next.Talk != nil:
		if r.Talk == nil {
			r.Talk = next.Talk
		}
	case next.Prompt != nil:
		r.Prompts = append(r.Prompts, *next.Prompt)
	case next.Answer != nil:
		r.Answers = append(r.Answers, *next.Answer)
	case next.Ran != nil:
		r.Results = append(r.Results, *next.Ran)
	case next.Full != nil:
		r.Full = true
	}
}

// Plugins returns the names of the recorded plugins, in the order of their first calls.
func (r *Recording) Plugins() []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range r.Calls {
		if !seen[c.Plugin] {
			seen[c.Plugin] = true
			names = append(names, c.Plugin)
		}
	}
	return names
}

// Exists reports whether there is a recording at path.
func Exists(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
