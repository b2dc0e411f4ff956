package acp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/base/limit"
)

// TestLines has a row for each rule about lines of the client.
func TestLines(t *testing.T) {
	t.Parallel()
	for input, want := range map[string][]string{
		"":                                   {"EOF"},
		"one\ntwo\n":                         {"one", "two", "EOF"},
		"\n\n":                               {"", "", "EOF"},
		"half":                               {"unexpected EOF"},
		"one\nhalf":                          {"one", "unexpected EOF"},
		"12345678\n":                         {"12345678", "EOF"},
		"123456789\nshort\n":                 {"the line is too long", "short", "EOF"},
		"123456789":                          {"unexpected EOF"},
		strings.Repeat("x", 1<<20):           {"unexpected EOF"},
		strings.Repeat("x", 1<<20) + "\na\n": {"the line is too long", "a", "EOF"},
	} {
		l := newLines(strings.NewReader(input), 8)
		var got []string
		for {
			line, err := l.next()
			if err == nil {
				got = append(got, string(line))
				continue
			}
			got = append(got, err.Error())
			if !errors.Is(err, errLong) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.20q is read as %q, want %q", input, got, want)
		}
	}
}

// FuzzParse checks that no line of a client is both refused and taken, and that the id of a refused one can be sent back.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `{"jsonrpc":"2.0","id":{}}`, `[]`, `{`, `null`, `{"jsonrpc":"2.0","id":null}`,
		`{"jsonrpc":"1.0","id":"a"}`, `{"jsonrpc":"2.0","error":{"code":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := parse(line)
		var coded *Error
		if err != nil && !errors.As(err, &coded) {
			t.Fatalf("%q: %v has no code", line, err)
		}
		if !validID(m.ID) {
			t.Fatalf("%q: the id %q cannot be sent back", line, m.ID)
		}
		var out strings.Builder
		c := newConn(strings.NewReader(""), &out, func(err error) { t.Fatalf("%q: %v", line, err) })
		c.reply(m.ID, struct{}{}, err)
		c.end()
		if !strings.HasSuffix(out.String(), "\n") || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%q is answered with %q", line, out.String())
		}
	})
}

// TestHunks has a row for each rule about unified diffs.
func TestHunks(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		diff string
		want []hunk
	}{
		"change":          {"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n", []hunk{{"x", "x", 1, "a\nb\nd\n", "a\nc\nd\n"}}},
		"new file":        {"--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", []hunk{{"", "x", 1, "", "a\nb\n"}}},
		"removed file":    {"--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", []hunk{{"x", "", 0, "a\n", ""}}},
		"two hunks":       {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n", []hunk{{"x", "x", 1, "a\n", "b\n"}, {"x", "x", 9, "c\n", "d\n"}}},
		"two files":       {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n", []hunk{{"x", "x", 1, "a\n", "b\n"}, {"y", "y", 1, "c\n", "d\n"}}},
		"like a name":     {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n z\n", []hunk{{"x", "x", 1, "-- a/y\nz\n", "++ b/y\nz\n"}}},
		"no newline":      {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", []hunk{{"x", "x", 1, "a\n", "b"}}},
		"never a newline": {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", []hunk{{"x", "x", 1, "a", "b"}}},
		"cut":             {"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n… [7 bytes left out]\n", nil},
		"no diff":         {"nonsense\n@@ nonsense\n+a\n", nil},
	} {
		if got := hunks(row.diff); !slices.Equal(got, row.want) {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}

// FuzzHunks checks that the texts of hunks are parts of the diff.
func FuzzHunks(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n")
	f.Add("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")
	f.Add("@@ -9999999999999999999,1 +1 @@\n")
	f.Fuzz(func(t *testing.T, diff string) {
		size := 0
		for _, h := range hunks(diff) {
			size += len(h.before) + len(h.after)
		}
		if size > 2*len(diff) {
			t.Fatalf("the hunks of %q have %d bytes", diff, size)
		}
	})
}

// TestRead has a row for each rule about the parts of a prompt that end-to-end tests do not show.
func TestRead(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	for name, row := range map[string]struct {
		blocks []contentBlock
		want   string
		fails  bool
	}{
		"texts":         {[]contentBlock{{Type: "text", Text: "one "}, {Type: "text", Text: "two"}}, "one two", false},
		"empty":         {nil, "", true},
		"blank":         {[]contentBlock{{Type: "text", Text: " \n"}}, "", true},
		"unknown":       {[]contentBlock{{Type: "hologram"}}, "", true},
		"no resource":   {[]contentBlock{{Type: "resource"}}, "", true},
		"no content":    {[]contentBlock{{Type: "resource", Resource: &resource{URI: "x"}}}, "", true},
		"odd blob":      {[]contentBlock{{Type: "resource", Resource: &resource{URI: "x", Blob: text("eA==")}}}, "", true},
		"only a file":   {[]contentBlock{{Type: "resource", Resource: &resource{URI: "file:///a%20b", Text: text("c\n")}}}, "\n\n<file path=\"/a b\">\nc\n</file>", false},
		"mention":       {[]contentBlock{{Type: "text", Text: "see @a"}, {Type: "resource", Resource: &resource{URI: "x", Text: text("@b")}}}, "see @a\n\n<file path=\"x\">\n\\@b\n</file>", false},
		"foreign host":  {[]contentBlock{{Type: "resource_link", Name: "n", URI: "file://server/share"}}, "\n\n<link name=\"n\" uri=\"file://server/share\" />", false},
		"linked file":   {[]contentBlock{{Type: "text", Text: "see"}, {Type: "resource_link", URI: "file:///a%20b/../c%2Fd?x#L1"}}, "see\n\n@\"/a b/../c/d\"", false},
		"this machine":  {[]contentBlock{{Type: "resource_link", URI: "file://localhost/no/such"}}, "\n\n@\"/no/such\"", false},
		"quoted path":   {[]contentBlock{{Type: "resource_link", Name: "n", URI: "file:///a%22%20@/etc/passwd"}}, "\n\n<link name=\"n\" uri=\"file:///a%22%20\\@/etc/passwd\" />", false},
		"path of lines": {[]contentBlock{{Type: "resource_link", Name: "n", URI: "file:///a%0A@b"}}, "\n\n<link name=\"n\" uri=\"file:///a%0A\\@b\" />", false},
		"other scheme":  {[]contentBlock{{Type: "resource_link", Name: "n", URI: "FILES:///etc/passwd"}}, "\n\n<link name=\"n\" uri=\"FILES:///etc/passwd\" />", false},
		"no data":       {[]contentBlock{{Type: "image", URI: "file:///etc/passwd"}}, "", true},
		"relative link": {[]contentBlock{{Type: "resource_link", Name: "n", URI: "file:a"}}, "\n\n<link name=\"n\" uri=\"file:a\" />", false},
	} {
		in, err := read(row.blocks)
		if (err != nil) != row.fails || err == nil && in.line().Prompt() != row.want {
			t.Errorf("%s: %q, %v, want %q", name, in.line().Prompt(), err, row.want)
		}
	}
}

// TestQuestionText checks that a question hides nothing of a call.
func TestQuestionText(t *testing.T) {
	t.Parallel()
	q := policy.Question{Tool: "Bash", Args: map[string]any{"command": "echo ok\r\x1b[2Krm -rf x\u202e ```"}, Rule: "Bash", By: "agent x"}
	got := questionText(q, nil)
	if !strings.Contains(got, "echo ok<U+000D><U+001B>[2Krm -rf x<U+202E> ```") || !strings.HasPrefix(got, "````\n") || !strings.HasSuffix(got, "rule Bash of agent x") {
		t.Errorf("got %q", got)
	}
	q = policy.Question{Tool: policy.ReadTool, Access: &policy.Access{What: "read /a\u202e", Why: []string{"for Bash: curl\nx", "why"}, Outside: true}}
	if got := questionText(q, nil); got != "```\nread /a<U+202E>\n```\nfor Bash: curl x\nwhy" {
		t.Errorf("got %q", got)
	}
	if got := optionsFor(q); len(got) != 2 || got[0].ID != answerOutside || got[1].ID != answerReject {
		t.Errorf("the answers are %+v", got)
	}
	if got := titleOf("Bash", []byte(`{"command":"a\n\u001b[2Kb"}`)); got != "Bash a <U+001B>[2Kb" {
		t.Errorf("the title is %q", got)
	}
}

// TestFenced checks that a text cannot leave its block.
func TestFenced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"a\n": "```\na\n```", "```\nb": "````\n```\nb\n````", "`````": "``````\n`````\n``````"} {
		if got := fenced(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestReserve checks that open sessions and those that are being opened count for the limit, and that a session is opened once.
func TestReserve(t *testing.T) {
	t.Parallel()
	s := &server{sessions: map[string]*live{"open": {}}}
	if err := s.reserve("open"); err == nil {
		t.Error("a session was opened twice")
	}
	for range limit.ACPSessions - 1 {
		if err := s.reserve(""); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.reserve(""); err == nil {
		t.Error("one session more than the limit was opened")
	}
	s.release()
	if err := s.reserve(""); err != nil {
		t.Error(err)
	}
}
