package session

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

const (
	first = `{"meta":{"id":"x"}}` + "\n"
	hello = `{"message":{"role":"user","content":"hello"}}` + "\n"
	last  = `{"end":{"reason":"done"}}` + "\n"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data     string
		messages int
		ended    bool
		torn     bool
		err      string
	}{
		"whole":                         {first + hello + last, 1, true, false, ""},
		"not ended":                     {first + hello, 1, false, false, ""},
		"torn inside a record":          {first + hello + hello[:20], 1, false, true, ""},
		"torn before the newline":       {first + hello + strings.TrimSuffix(hello, "\n"), 1, false, true, ""},
		"zeros at the end":              {first + hello + "\x00\x00\x00", 1, false, true, ""},
		"last line scrambled":           {first + hello + "{\"mess\x00\x00\n", 1, false, true, ""},
		"broken in the middle":          {first + hello[:20] + "\n" + hello, 0, false, false, ".jsonl:2: damaged record"},
		"empty line in the middle":      {first + "\n" + hello, 0, false, false, ".jsonl:2: damaged record"},
		"empty":                         {"", 0, false, false, "no complete first record"},
		"torn at the start":             {first[:9], 0, false, false, "no complete first record"},
		"no first record":               {hello + hello, 0, false, false, ".jsonl:1: the first record does not name a session"},
		"not a journal":                 {"{}\n", 0, false, false, ".jsonl:1: the first record does not name a session"},
		"two first records":             {first + first, 0, false, false, ".jsonl:2: a record of an unknown kind"},
		"unknown kind":                  {first + `{"later":{}}` + "\n", 0, false, false, ".jsonl:2: a record of an unknown kind"},
		"a record after the end":        {first + last + hello, 0, false, false, ".jsonl:3: a record after the end"},
		"wrong type in an inner record": {first + `{"message":7}` + "\n" + last, 0, false, false, ".jsonl:2: damaged record"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "a.jsonl")
			if err := os.WriteFile(path, []byte(tt.data), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Load(path)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Messages) != tt.messages || (s.End != nil) != tt.ended || s.Torn != tt.torn {
				t.Errorf("got %+v", s)
			}
		})
	}
}

func TestLoadMissing(t *testing.T) {
	t.Parallel()
	if _, err := Load(filepath.Join(t.TempDir(), "none.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// FuzzLoad checks that reading never panics, that accepted input survives being written again, that a journal cut anywhere
// loses only its last record, and that lists and searches see the same messages.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"", first, first + hello + last, first + hello[:20], hello, first + "null\n", "\n\n", first +
		`{"message":{"tool_calls":[{"id":"1","name":"n","arguments":{"a":1}},{"malformed_arguments":"{"}]}}` + "\n", first +
		`{"data":{"number":1,"bytes":"eA=="}}` + "\n" + `{"message":{"role":"user","content":"a\n\n<b","parts":[{"name":"n","data":1}]}}` + "\n"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		s, _, err := parse("f", bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		find := finder{text: "a", hide: func(text string) string { return text }}
		for name, reduce := range map[string]func(*Session, *record){"light": light, "search": find.reduce} {
			small, _, err := parse("f", bytes.NewReader(data), reduce)
			if err != nil || len(small.Messages) != len(s.Messages) || name == "light" && titleOf(small) != titleOf(s) {
				t.Fatalf("%s: got %+v, %v, want %+v", name, small, err, s)
			}
		}
		again, _, err := parse("f", bytes.NewReader(encodeAll(t, s)), nil)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		again.Torn = s.Torn
		if !reflect.DeepEqual(normal(again.Messages), normal(s.Messages)) || again.Meta.ID != s.Meta.ID {
			t.Fatalf("got %+v, want %+v", again, s)
		}
		if cut < 0 || cut > len(data) || s.Torn || bytes.Contains(data, []byte("compaction")) {
			return // without its compaction, a journal has more messages
		}
		short, _, err := parse("f", bytes.NewReader(data[:len(data)-cut]), nil)
		if err == nil && len(short.Messages) > len(s.Messages) {
			t.Fatalf("cutting added messages: %+v", short)
		}
	})
}

func encodeAll(t *testing.T, s Session) []byte {
	t.Helper()
	records := []record{{Meta: &s.Meta}}
	for _, m := range s.Messages {
		records = append(records, toRecord(m))
	}
	if s.End != nil {
		records = append(records, record{End: s.End})
	}
	var out []byte
	for _, r := range records {
		line, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line...)
	}
	return out
}

// normal returns messages as JSON stores them. It normalizes the spacing of arguments, time zones and invalid UTF-8.
func normal(messages []llm.Message) []string {
	var out []string
	for _, m := range messages {
		line, err := encode(toRecord(m))
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		out = append(out, string(line))
	}
	return out
}
