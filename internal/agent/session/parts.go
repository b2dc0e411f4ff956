package session

import (
	"crypto/sha256"
	"fmt"

	"github.com/idelchi/aura/internal/agent/llm"
)

// data is a record with the bytes of a file. It precedes the first message that has the file. Messages refer to it by its number,
// so that a journal has each file once. The record is written as it is: removing secrets would damage the file.
type data struct {
	// Number counts the data records of a journal from 1.
	Number int    `json:"number"`
	Bytes  []byte `json:"bytes"`
}

// dataStart is how a data record begins.
var dataStart = []byte(`{"data":{"number":`)

// part is llm.Part with a reference to its data.
type part struct {
	Name string `json:"name"`
	Type string `json:"media_type"`
	// Size is in bytes, for readers of the journal.
	Size int `json:"size"`
	// Data is the number of a data record.
	Data int `json:"data"`
}

// hash identifies the bytes of a file.
type hash [sha256.Size]byte

// keepParts writes the files of a message that the journal does not have yet. It returns references to all of them.
func (j *Journal) keepParts(parts []llm.Part) ([]part, error) {
	var out []part
	for _, p := range parts {
		number, err := j.keepData(p.Data)
		if err != nil {
			return nil, err
		}
		out = append(out, part{Name: p.Name, Type: p.Type, Size: len(p.Data), Data: number})
	}
	return out, nil
}

func (j *Journal) keepData(bytes []byte) (int, error) {
	sum := hash(sha256.Sum256(bytes))
	if number, ok := j.data[sum]; ok {
		return number, nil
	}
	number := len(j.data) + 1
	if err := j.add(record{Data: &data{Number: number, Bytes: bytes}}); err != nil {
		return 0, err
	}
	if j.data == nil {
		j.data = map[hash]int{}
	}
	j.data[sum] = number
	return number, nil
}

// numbered returns the numbers of the files that a journal has.
func numbered(all [][]byte) map[hash]int {
	out := make(map[hash]int, len(all))
	for i, bytes := range all {
		out[sha256.Sum256(bytes)] = i + 1
	}
	return out
}

// addData applies a data record.
func (s *Session) addData(d *data) error {
	if d.Number != len(s.data)+1 {
		return fmt.Errorf("file %d follows file %d", d.Number, len(s.data))
	}
	s.data = append(s.data, d.Bytes)
	return nil
}

// parts returns the files that references name.
func (s *Session) parts(refs []part) ([]llm.Part, error) {
	var out []llm.Part
	for _, ref := range refs {
		if ref.Data < 1 || ref.Data > len(s.data) {
			return nil, fmt.Errorf("a message with file %d of %d", ref.Data, len(s.data))
		}
		out = append(out, llm.Part{Name: ref.Name, Type: ref.Type, Data: s.data[ref.Data-1]})
	}
	return out, nil
}
