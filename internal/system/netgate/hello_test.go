package netgate

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
)

// hello returns what a client sends first for a name.
func hello(tb testing.TB, name string) []byte {
	tb.Helper()
	a, b := net.Pipe()
	go func() {
		_ = tls.Client(a, &tls.Config{ServerName: name, InsecureSkipVerify: name == ""}).Handshake()
	}()
	raw, _, err := readHello(b)
	_, _ = a.Close(), b.Close()
	if err != nil && !errors.Is(err, errNoName) {
		tb.Fatal(err)
	}
	return raw
}

// inRecords cuts the message of a record into records of n bytes.
func inRecords(raw []byte, n int) []byte {
	var out []byte
	for rest := raw[5:]; len(rest) > 0; rest = rest[min(n, len(rest)):] {
		part := rest[:min(n, len(rest))]
		out = append(binary.BigEndian.AppendUint16(append(out, raw[:3]...), uint16(len(part))), part...)
	}
	return out
}

// withExtension adds an extension to a hello.
func withExtension(raw []byte, kind uint16, content []byte) []byte {
	body := append([]byte{}, raw[9:]...)
	at := 2 + 32
	at += 1 + int(body[at])
	at += 2 + int(binary.BigEndian.Uint16(body[at:]))
	at += 1 + int(body[at])
	binary.BigEndian.PutUint16(body[at:], binary.BigEndian.Uint16(body[at:])+uint16(4+len(content)))
	body = binary.BigEndian.AppendUint16(body, kind)
	body = append(binary.BigEndian.AppendUint16(body, uint16(len(content))), content...)
	out := binary.BigEndian.AppendUint16([]byte{22, 3, 1}, uint16(len(body)+4))
	return append(append(out, 1, 0, byte(len(body)>>8), byte(len(body))), body...)
}

func TestHello(t *testing.T) {
	t.Parallel()
	plain := hello(t, "a.example")
	tests := map[string]struct {
		raw  []byte
		name string
		err  error
	}{
		"a hello":                  {plain, "a.example", nil},
		"in records of 1 byte":     {inRecords(plain, 1), "a.example", nil},
		"in records of 100 bytes":  {inRecords(plain, 100), "a.example", nil},
		"no name":                  {hello(t, ""), "", errNoName},
		"encrypted":                {withExtension(plain, extEncrypted, []byte{0}), "", errEncrypted},
		"two names":                {withExtension(plain, extServerName, []byte{0, 4, 0, 0, 1, 'b'}), "", errHello},
		"another extension":        {withExtension(plain, 0x7777, []byte{1, 2}), "a.example", nil},
		"not a handshake":          {append([]byte{23}, plain[1:]...), "", errHello},
		"half":                     {plain[:len(plain)/2], "", io.ErrUnexpectedEOF},
		"nothing":                  {nil, "", io.EOF},
		"an empty record":          {[]byte{22, 3, 1, 0, 0}, "", errHello},
		"a large record":           {[]byte{22, 3, 1, 0xff, 0xff}, "", errHello},
		"a large hello":            {[]byte{22, 3, 1, 0, 4, 1, 1, 0, 0}, "", errHello},
		"another message":          {[]byte{22, 3, 1, 0, 4, 2, 0, 0, 0}, "", errHello},
		"an empty hello":           {[]byte{22, 3, 1, 0, 4, 1, 0, 0, 0}, "", errHello},
		"an endless hello, slowly": {inRecords(append([]byte{22, 3, 1, 0, 0, 1, 0, 0x7f, 0xfc}, make([]byte, maxHello)...), 1)[:1<<17], "", errHello},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, got, err := readHello(strings.NewReader(string(tt.raw)))
			if got != tt.name || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v", got, err)
			}
			if err == nil && string(raw) != string(tt.raw) {
				t.Error("other bytes were read")
			}
			if len(raw) > maxRaw+maxRecord {
				t.Errorf("%d bytes were read", len(raw))
			}
		})
	}
}

func FuzzHello(f *testing.F) {
	f.Add(hello(f, "a.example"))
	f.Add([]byte{22, 3, 1, 0, 4, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, name, err := readHello(strings.NewReader(string(raw))); err == nil && (name == "" || !strings.Contains(string(raw), name[:1])) {
			t.Errorf("found %q", name)
		}
	})
}
