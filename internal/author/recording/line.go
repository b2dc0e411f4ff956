package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

// A line begins with its checksum, which has a fixed length.
const (
	lineStart = `{"sum":"`
	sumLength = 32
	lineRest  = `",`
	lineHead  = len(lineStart) + sumLength + len(lineRest)
)

// sum is the checksum of a line and all lines before it.
type sum struct {
	digest [sha256.Size]byte
	// quick says that the lines that follow are of version 2 or later.
	quick bool
}

// ofRun is how the body of a Run's line begins.
var ofRun = []byte(`"run":`)

// next returns the checksum of the line that follows. The line of a Run has the same checksum in all versions, so that an older aura can read
// the version. Other lines have a checksum that most processors compute in a fiftieth of the time, in a part of the digest.
func (s sum) next(body []byte) sum {
	if s.quick && !bytes.HasPrefix(body, ofRun) {
		crc := crc32.Update(binary.BigEndian.Uint32(s.digest[:]), crcTable, body)
		binary.BigEndian.PutUint32(s.digest[:], crc)
		return s
	}
	h := sha256.New()
	h.Write(s.digest[:])
	h.Write(body)
	h.Sum(s.digest[:0])
	return s
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// after returns the checksum for the lines after a record.
func (s sum) after(r record) sum {
	if r.Run != nil {
		s.quick = r.Run.Version > 1
	}
	return s
}

func (s sum) String() string { return hex.EncodeToString(s.digest[:sumLength/2]) }

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
	copy(lines[start+len(lineStart):], after.String())
	return lines, after.after(r), nil
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
	return r, after.after(r), nil
}
