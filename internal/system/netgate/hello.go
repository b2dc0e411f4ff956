package netgate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The parts of TLS that are read here (RFC 8446, RFC 6066, RFC 9849).
const (
	recordHandshake = 22
	clientHello     = 1
	extServerName   = 0
	extEncrypted    = 0xfe0d
	// maxRecord is the largest record of plain text, in bytes.
	maxRecord = 1 << 14
	// maxHello is the size of the largest hello that is read, in bytes. One with keys for post-quantum algorithms has about 2 KiB.
	maxHello = 1 << 15
	// maxRaw bounds what a hello takes with the headers of its records. A record may have few bytes, but not none.
	maxRaw = 2 * maxHello
)

var (
	errHello     = errors.New("the TLS hello is not valid")
	errEncrypted = errors.New("the TLS hello is encrypted (ECH), so its server name cannot be checked")
	errNoName    = errors.New("the TLS hello has no server name")
)

// readHello reads a TLS hello. It returns all bytes that it read, and the server name.
func readHello(r io.Reader) (raw []byte, name string, err error) {
	var message []byte
	for {
		start := len(raw)
		raw = append(raw, make([]byte, 5)...)
		if _, err := io.ReadFull(r, raw[start:]); err != nil {
			return raw, "", fmt.Errorf("reading the TLS hello: %w", err)
		}
		head := raw[start:]
		size := int(binary.BigEndian.Uint16(head[3:]))
		if head[0] != recordHandshake || head[1] != 3 || size == 0 || size > maxRecord || len(raw)+size > maxRaw {
			return raw, "", errHello
		}
		start = len(raw)
		raw = append(raw, make([]byte, size)...)
		if _, err := io.ReadFull(r, raw[start:]); err != nil {
			return raw, "", fmt.Errorf("reading the TLS hello: %w", err)
		}
		message = append(message, raw[start:]...)
		if len(message) < 4 {
			continue
		}
		whole := 4 + int(message[1])<<16 + int(message[2])<<8 + int(message[3])
		if message[0] != clientHello || whole > maxHello {
			return raw, "", errHello
		}
		if len(message) >= whole {
			// Nothing may follow a first hello before the server has answered, except data that the server can decrypt.
			name, err = serverName(message[4:whole])
			return raw, name, err
		}
	}
}

// fields reads the fields of a TLS message. After an error it is empty, and bad is true.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) take(n int) []byte {
	if f.bad || n > len(f.rest) {
		f.rest, f.bad = nil, true
		return nil
	}
	out := f.rest[:n]
	f.rest = f.rest[n:]
	return out
}

// number reads a number of size bytes.
func (f *fields) number(size int) int {
	n := 0
	for _, b := range f.take(size) {
		n = n<<8 | int(b)
	}
	return n
}

// list reads a field after its length, which has size bytes.
func (f *fields) list(size int) *fields { return &fields{rest: f.take(f.number(size)), bad: f.bad} }

// serverName returns the name in a hello. A hello without a name, or whose real name is encrypted, is an error.
func serverName(body []byte) (string, error) {
	f := &fields{rest: body}
	f.take(2 + 32) // version and random bytes
	f.list(1)      // session
	f.list(2)      // algorithms
	f.list(1)      // compression
	extensions := f.list(2)
	if f.bad || len(f.rest) > 0 {
		return "", errHello
	}
	name, seen := "", map[int]bool{}
	for len(extensions.rest) > 0 {
		kind := extensions.number(2)
		content := extensions.list(2)
		if extensions.bad || seen[kind] {
			return "", errHello
		}
		seen[kind] = true
		switch kind {
		case extEncrypted:
			return "", errEncrypted
		case extServerName:
			names := content.list(2)
			isHost := names.number(1) == 0
			name = string(names.list(2).rest)
			if !isHost || content.bad || names.bad || name == "" || len(names.rest)+len(content.rest) > 0 {
				return "", errHello
			}
		}
	}
	if name == "" {
		return "", errNoName
	}
	return name, nil
}
