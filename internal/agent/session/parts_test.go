package session

import (
	"bytes"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

func picture(name, content string) llm.Part {
	return llm.Part{Name: name, Type: "image/png", Data: []byte("\x89PNG" + content)}
}

// TestParts checks that a journal has the bytes of each file once and unchanged, also after it was reopened, and that a reader
// gets them with every message.
func TestParts(t *testing.T) {
	t.Parallel()
	j := create(t)
	hide := func(document []byte) []byte { return bytes.ReplaceAll(document, []byte("iVBOR"), []byte("[redacted]")) }
	j.Hide(hide)
	messages := []llm.Message{
		{Role: llm.RoleUser, Content: "one", Parts: []llm.Part{picture("a", "x"), picture("b", "y")}, CreatedAt: at},
		{Role: llm.RoleUser, Content: "two", Parts: []llm.Part{picture("c", "x")}, CreatedAt: at},
	}
	appendAll(t, j, messages)
	if err := j.Close(End{Reason: ReasonDone}); err != nil {
		t.Fatal(err)
	}
	j, _, err := Reopen(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close(End{}) })
	j.Hide(hide)
	more := []llm.Message{{Role: llm.RoleUser, Content: "three", Parts: []llm.Part{picture("d", "y"), picture("e", "z")}, CreatedAt: at}}
	appendAll(t, j, more)
	s := load(t, j)
	if want := append(messages, more...); !reflect.DeepEqual(s.Messages, want) {
		t.Errorf("got %+v, want %+v", s.Messages, want)
	}
	text, err := os.ReadFile(j.Path())
	if n := strings.Count(string(text), "\n"+string(dataStart)); err != nil || n != 3 {
		t.Errorf("the journal has %d files, %v", n, err)
	}
	if small, err := read(j.Path(), light); err != nil || len(small.Messages) != 3 || len(small.data) > 0 {
		t.Errorf("a summary needs %+v, %v", small, err)
	}
}

func TestPartsDamaged(t *testing.T) {
	t.Parallel()
	const meta, file = `{"meta":{"id":"f"}}` + "\n", `{"data":{"number":1,"bytes":"eA=="}}` + "\n"
	message := func(refs string) string {
		return `{"message":{"role":"user","content":"hi","parts":[` + refs + `]}}` + "\n"
	}
	for name, row := range map[string]struct{ journal, want string }{
		"sound":           {meta + file + message(`{"data":1}`), ""},
		"no such file":    {meta + file + message(`{"data":2}`), "f:3: a message with file 2 of 1"},
		"no file at all":  {meta + message(`{"name":"a"}`), "f:2: a message with file 0 of 0"},
		"file is missing": {meta + strings.Replace(file, "1", "2", 1), "f:2: file 2 follows file 0"},
		"file twice":      {meta + file + file, "f:3: file 1 follows file 1"},
	} {
		_, _, err := parse("f", strings.NewReader(row.journal+`{"resume":{}}`+"\n"), nil)
		if got := errorText(err); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestExportParts(t *testing.T) {
	t.Parallel()
	s := Session{Messages: []llm.Message{{Role: llm.RoleUser, Content: "iVBOR", Parts: []llm.Part{picture("a iVBOR", "x"), picture("b", "y")}}}}
	clean := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("iVBOR"), []byte("[redacted]")) }
	for format, want := range map[Format][]string{
		FormatJSON:     {`"content": "[redacted]"`, `"name": "a [redacted]"`, `"data": "iVBOR3g="`, `"data": "iVBOR3k="`},
		FormatMarkdown: {"\n[redacted]\n\n- attached a [redacted] (image/png, 5 bytes)\n\n- attached b (image/png, 5 bytes)\n"},
	} {
		got, err := Export(s, format, clean)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %s", got, w)
			}
		}
	}
	if string(s.Messages[0].Parts[0].Data) != "\x89PNGx" {
		t.Error("the export changed the session")
	}
}
