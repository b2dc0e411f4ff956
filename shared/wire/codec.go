package wire

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

// Message is a message of the service.
type Message interface {
	*Call | *Reply | *Request | *Answer
}

// Marshal encodes a message as protobuf does.
func Marshal[M Message](m M) ([]byte, error) {
	switch m := any(m).(type) {
	case *Call:
		return m.append(make([]byte, 0, len(m.Body)+len(m.Verb)+len(m.Point)+overhead))
	case *Reply:
		return m.append(make([]byte, 0, m.size()))
	case *Request:
		return m.append(make([]byte, 0, len(m.Body)+len(m.Verb)+overhead))
	case *Answer:
		return m.append(make([]byte, 0, m.Reply.size()+overhead))
	default:
		panic("no other type is a Message")
	}
}

// Unmarshal decodes a message. It copies what it keeps of the data.
func Unmarshal[M Message](data []byte, m M) error {
	switch m := any(m).(type) {
	case *Call:
		*m = Call{}
		return fields(data, m.set)
	case *Reply:
		*m = Reply{}
		return fields(data, m.set)
	case *Request:
		*m = Request{}
		return fields(data, m.set)
	case *Answer:
		*m = Answer{}
		return fields(data, m.set)
	default:
		panic("no other type is a Message")
	}
}

// overhead is enough for the keys, lengths and numbers of a message.
const overhead = 64

var errUTF8 = errors.New("a string of a message is not valid UTF-8")

func (m *Call) append(b []byte) ([]byte, error) {
	b = appendBytes(b, 1, m.Verb)
	b = appendBytes(b, 2, m.Point)
	return appendBytes(b, 3, m.Body), valid(m.Verb, m.Point)
}

func (m *Call) set(f field) error {
	switch f.number {
	case 1:
		return f.text(&m.Verb)
	case 2:
		return f.text(&m.Point)
	case 3:
		f.bytes(&m.Body)
	}
	return nil
}

// size returns enough room for the encoded message, and 0 for nil.
func (m *Reply) size() int {
	if m == nil {
		return 0
	}
	size := len(m.Body) + overhead
	if f := m.Failure; f != nil {
		size += len(f.Kind) + len(f.Message)
	}
	return size
}

func (m *Reply) append(b []byte) ([]byte, error) {
	b = appendBytes(b, 1, m.Body)
	if m.Failure == nil {
		return b, nil
	}
	inner := appendBytes(appendBytes(nil, 1, m.Failure.Kind), 2, m.Failure.Message)
	return appendMessage(b, 2, inner), valid(m.Failure.Kind)
}

// ReplyHead returns what precedes the body in an encoded reply without a failure. The caller sends the body itself, which may be large.
func ReplyHead(body []byte) []byte {
	return binary.AppendUvarint(appendKey(nil, 1, bytesKind), uint64(len(body)))
}

func (m *Reply) set(f field) error {
	switch {
	case f.number == 1:
		f.bytes(&m.Body)
	case f.number == 2 && f.kind == bytesKind:
		if m.Failure == nil {
			m.Failure = &Failure{}
		}
		return fields(f.data, m.Failure.set)
	}
	return nil
}

func (m *Failure) set(f field) error {
	switch f.number {
	case 1:
		return f.text(&m.Kind)
	case 2:
		f.bytes(&m.Message)
	}
	return nil
}

func (m *Request) append(b []byte) ([]byte, error) {
	b = appendNumber(b, 1, m.ID)
	b = appendBytes(b, 2, m.Verb)
	return appendBytes(b, 3, m.Body), valid(m.Verb)
}

func (m *Request) set(f field) error {
	switch f.number {
	case 1:
		f.integer(&m.ID)
	case 2:
		return f.text(&m.Verb)
	case 3:
		f.bytes(&m.Body)
	}
	return nil
}

func (m *Answer) append(b []byte) ([]byte, error) {
	b = appendNumber(b, 1, m.ID)
	if m.Reply == nil {
		return b, nil
	}
	inner, err := m.Reply.append(make([]byte, 0, m.Reply.size()))
	return appendMessage(b, 2, inner), err
}

func (m *Answer) set(f field) error {
	switch {
	case f.number == 1:
		f.integer(&m.ID)
	case f.number == 2 && f.kind == bytesKind:
		if m.Reply == nil {
			m.Reply = &Reply{}
		}
		return fields(f.data, m.Reply.set)
	}
	return nil
}

// appendBytes appends a field, unless it is empty.
func appendBytes[T string | []byte](b []byte, number int, v T) []byte {
	if len(v) == 0 {
		return b
	}
	b = binary.AppendUvarint(appendKey(b, number, bytesKind), uint64(len(v)))
	return append(b, v...)
}

// appendMessage appends a message that is set, even if it is empty.
func appendMessage(b []byte, number int, v []byte) []byte {
	return append(binary.AppendUvarint(appendKey(b, number, bytesKind), uint64(len(v))), v...)
}

func appendNumber(b []byte, number int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(appendKey(b, number, varintKind), v)
}

func valid(texts ...string) error {
	for _, s := range texts {
		if !utf8.ValidString(s) {
			return errUTF8
		}
	}
	return nil
}

// field is one field of an encoded message: data for bytes, value for a number.
type field struct {
	number int
	kind   kind
	data   []byte
	value  uint64
}

func (f field) text(to *string) error {
	if f.kind != bytesKind {
		return nil
	}
	if !utf8.Valid(f.data) {
		return errUTF8
	}
	*to = string(f.data)
	return nil
}

func (f field) bytes(to *[]byte) {
	if f.kind == bytesKind {
		*to = append([]byte{}, f.data...)
	}
}

func (f field) integer(to *uint64) {
	if f.kind == varintKind {
		*to = f.value
	}
}

// fields calls set for each field of a message. set ignores what it does not know.
func fields(b []byte, set func(field) error) error {
	for len(b) > 0 {
		number, k, rest, err := takeKey(b)
		if err != nil || number > maxField {
			return errMalformed
		}
		f := field{number: number, kind: k}
		if b, err = takeValue(rest, &f); err != nil {
			return err
		}
		if err := set(f); err != nil {
			return err
		}
	}
	return nil
}
