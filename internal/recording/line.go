package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// A line begins with its checksum, which has a fixed length.
const (
	lineStart = `{"sum":"`
	sumLength = 32
	lineRest  = `",`
)

// sum is the checksum of a line and all lines before it.
type sum [sha256.Size]byte

// next returns the checksum of the line that follows.
func (s sum) next(body []byte) sum {
	h := sha256.New()
	h.Write(s[:])
	h.Write(body)
	return sum(h.Sum(nil))
}

func (s sum) String() string { return hex.EncodeToString(s[:])[:sumLength] }

// rawField is a field of a call with its value as JSON in one line.
type rawField struct {
	name  string
	value json.RawMessage
}

// encode appends a record as a line to a buffer, and returns the line's checksum.
func (s sum) encode(line *bytes.Buffer, r record) (sum, error) {
	start := line.Len()
	line.WriteString(lineStart)
	line.Write(make([]byte, sumLength))
	line.WriteString(lineRest[:len(lineRest)-1])
	head := line.Len() + 1
	e := json.NewEncoder(line)
	e.SetEscapeHTML(false)
	var raw []rawField
	if r.Call != nil {
		// Package json would parse what is encoded already.
		call := *r.Call
		raw = []rawField{{"context", call.Context}, {"args", call.Args}, {"out", call.Out}}
		call.Context, call.Args, call.Out = nil, nil, nil
		r.Call = &call
	}
	if err := e.Encode(r); err != nil {
		return s, err
	}
	const callEnd = "}}\n"
	for _, f := range raw {
		if len(f.value) > 0 {
			line.Truncate(line.Len() - len(callEnd))
			fmt.Fprintf(line, ",%q:%s%s", f.name, f.value, callEnd)
		}
	}
	text := line.Bytes()
	text[head-1] = lineRest[len(lineRest)-1] // in the place of the record's opening brace
	after := s.next(text[head:])
	copy(text[start+len(lineStart):], after.String())
	return after, nil
}

// errEdited is the error of a line whose checksum is wrong.
var errEdited = errors.New("the checksum is wrong: the file was changed after it was recorded, so it cannot be used; record the session again")

// decode is the inverse of encode. line has no newline.
func (s sum) decode(line []byte) (record, sum, error) {
	head := len(lineStart) + sumLength + len(lineRest)
	if len(line) < head || !bytes.HasPrefix(line, []byte(lineStart)) || string(line[head-len(lineRest):head]) != lineRest {
		return record{}, s, errors.New("not a line of a recording")
	}
	rest := append(bytes.Clone(line[head:]), '\n')
	after := s.next(rest)
	if after.String() != string(line[len(lineStart):head-len(lineRest)]) {
		return record{}, s, errEdited
	}
	var r record
	d := json.NewDecoder(bytes.NewReader(append([]byte("{"), rest...)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return record{}, s, fmt.Errorf("damaged record: %w", err)
	}
	return r, after, nil
}
