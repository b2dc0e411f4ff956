package netgate

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// question returns the bytes of a question. The labels of the name are written as they are.
func question(name string, kind dnsmessage.Type, class dnsmessage.Class) []byte {
	out := []byte{7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	for label := range strings.SplitSeq(strings.TrimSuffix(name, "."), ".") {
		out = append(append(out, byte(len(label))), label...)
	}
	out = append(out, 0)
	out = binary.BigEndian.AppendUint16(out, uint16(kind))
	return binary.BigEndian.AppendUint16(out, uint16(class))
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	const in = dnsmessage.ClassINET
	long := strings.Repeat("a", 64)
	tests := map[string]struct {
		question []byte
		want     string // the code and the addresses; empty for no answer
		reported string
	}{
		"A":                       {question("a.example", dnsmessage.TypeA, in), "RCodeSuccess 198.18.0.1", ""},
		"trailing dot":            {question("a.example.", dnsmessage.TypeA, in), "RCodeSuccess 198.18.0.1", ""},
		"capitals":                {question("A.eXample", dnsmessage.TypeA, in), "RCodeSuccess 198.18.0.1", ""},
		"AAAA":                    {question("a.example", dnsmessage.TypeAAAA, in), "RCodeSuccess", ""},
		"TXT":                     {question("a.example", dnsmessage.TypeTXT, in), "RCodeSuccess", ""},
		"NULL":                    {question("a.example", 10, in), "RCodeSuccess", ""},
		"HTTPS":                   {question("a.example", 65, in), "RCodeSuccess", ""},
		"ANY":                     {question("a.example", dnsmessage.TypeALL, in), "RCodeSuccess", ""},
		"another name":            {question("other.test", dnsmessage.TypeA, in), "RCodeNameError", "other.test"},
		"TXT of another name":     {question("data.other.test", dnsmessage.TypeTXT, in), "RCodeNameError", ""},
		"the name of the pattern": {question("example", dnsmessage.TypeA, in), "RCodeNameError", "example"},
		"a longer name":           {question("a.example.test", dnsmessage.TypeA, in), "RCodeNameError", "a.example.test"},
		"odd bytes":               {question("a\x00b.example", dnsmessage.TypeA, in), "RCodeNameError", ""},
		"a dot in a label":        {append(append([]byte{7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 9}, "a.example"...), 0, 0, 1, 0, 1), "RCodeFormatError", ""},
		"a label of 64 bytes":     {question(long+".example", dnsmessage.TypeA, in), "RCodeFormatError", ""},
		"a pointer to itself":     {[]byte{7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1}, "RCodeFormatError", ""},
		"an address":              {question("127.0.0.1", dnsmessage.TypeA, in), "RCodeNameError", ""},
		"another class":           {question("a.example", dnsmessage.TypeA, dnsmessage.ClassCHAOS), "RCodeNotImplemented", ""},
		"no question":             {[]byte{7, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "RCodeFormatError", ""},
		"two questions":           {append([]byte{7, 7, 1, 0, 0, 2}, append(question("a.example", 1, 1)[6:], question("a.example", 1, 1)[12:]...)...), "RCodeFormatError", ""},
		"an update":               {append([]byte{7, 7, 5 << 3, 0}, question("a.example", 1, 1)[4:]...), "RCodeNotImplemented", ""},
		"an answer":               {append([]byte{7, 7, 0x80, 0}, question("a.example", 1, 1)[4:]...), "", ""},
		"too short":               {[]byte{7, 7, 1}, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reported string
			s := testSession(t, Owner{Report: func(e Event) { reported += e.Host }}, "*.example")
			if got := read(t, s.answer(tt.question)); got != tt.want {
				t.Errorf("got %q", got)
			}
			if reported != tt.reported {
				t.Errorf("reported %q", reported)
			}
		})
	}
}

// read returns the code and the records of an answer.
func read(tb testing.TB, answer []byte) string {
	tb.Helper()
	if answer == nil {
		return ""
	}
	var m dnsmessage.Message
	if err := m.Unpack(answer); err != nil {
		tb.Fatal(err)
	}
	if m.ID != 0x707 || !m.Response {
		tb.Errorf("header %+v", m.Header)
	}
	text := m.RCode.String()
	for _, r := range m.Answers {
		a, ok := r.Body.(*dnsmessage.AResource)
		if !ok {
			tb.Fatalf("a record of type %T", r.Body)
		}
		text += " " + netip.AddrFrom4(a.A).String()
	}
	if len(m.Authorities)+len(m.Additionals) > 0 {
		tb.Error("further records")
	}
	return text
}

// TestNamesBounded asks for more names than have addresses, and for one of the first again.
func TestNamesBounded(t *testing.T) {
	t.Parallel()
	s := testSession(t, Owner{}, "*.example")
	for i := range maxNames + 1 {
		want := "RCodeSuccess"
		if i == maxNames {
			want = "RCodeRefused"
		}
		if got := read(t, s.answer(question(fmt.Sprintf("n%d.example", i), dnsmessage.TypeA, 1))); !strings.HasPrefix(got, want) {
			t.Fatalf("name %d: %s", i, got)
		}
	}
	if got := read(t, s.answer(question("n0.example", dnsmessage.TypeA, 1))); got != "RCodeSuccess 198.18.0.1" {
		t.Error(got)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(question("a.example", dnsmessage.TypeA, 1))
	f.Add(question("b.test", dnsmessage.TypeTXT, 1))
	f.Fuzz(func(t *testing.T, q []byte) {
		answer := testSession(t, Owner{}, "*.example").answer(q)
		if answer == nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(answer); err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Answers {
			if a, ok := r.Body.(*dnsmessage.AResource); !ok || !block.Contains(netip.AddrFrom4(a.A)) {
				t.Errorf("a record %v", r)
			}
		}
	})
}
