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
	lineHead  = len(lineStart) + sumLength + len(lineRest)
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

// encode appends a record as a line, and returns the line's checksum.
func (s sum) encode(lines []byte, r record) ([]byte, sum, error) {
	start := len(lines)
	lines = append(lines, lineStart...)
	lines = append(lines, make([]byte, sumLength)...)
	lines = append(lines, lineRest...)
	text := object{text: lines}
	text.record(r)
	if text.err != nil {
		return nil, s, text.err
	}
	lines = append(text.text, "}\n"...)
	after := s.next(lines[start+lineHead:])
	hex.Encode(lines[start+len(lineStart):], after[:sumLength/2])
	return lines, after, nil
}

// errEdited is the error of a line whose checksum is wrong.
var errEdited = errors.New("the checksum is wrong: the file was changed after it was recorded, so it cannot be used; record the session again")

// decode is the inverse of encode. line has no newline.
func (s sum) decode(line []byte) (record, sum, error) {
	if len(line) < lineHead || !bytes.HasPrefix(line, []byte(lineStart)) || string(line[lineHead-len(lineRest):lineHead]) != lineRest {
		return record{}, s, errors.New("not a line of a recording")
	}
	rest := append(bytes.Clone(line[lineHead:]), '\n')
	after := s.next(rest)
	if after.String() != string(line[len(lineStart):lineHead-len(lineRest)]) {
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
