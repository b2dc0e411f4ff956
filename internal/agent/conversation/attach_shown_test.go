package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tokens"
)

// TestShown checks what people see of a prompt with the texts of attachments.
func TestShown(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		prompt  string
		texts   [][2]string
		content string
		shown   string
	}{
		"none":         {"Go", nil, "Go", "Go"},
		"a file":       {"Read a", [][2]string{{"a", "x\ny\n"}}, "Read a\n\n<file path=\"a\">\nx\ny\n</file>", "Read a\n\n[file a: 2 lines, 3 bytes]"},
		"an empty one": {"", [][2]string{{"a", ""}}, "\n\n<file path=\"a\">\n\n</file>", "\n\n[file a: empty]"},
		"two": {
			"Go\n",
			[][2]string{{"a", "x"}, {"b", "<file path=\"a\">\nx\n</file>"}},
			"Go\n\n<file path=\"a\">\nx\n</file>\n\n<file path=\"b\">\n<file path=\"a\">\nx\n</file>\n</file>",
			"Go\n\n[file a: 1 line, 1 byte]\n\n[file b: 3 lines, 25 bytes]",
		},
	} {
		m := &promptMessage{Message: llm.Message{Content: row.prompt}}
		for _, text := range row.texts {
			m.addText("file", "path", text[0], text[1])
		}
		if m.Content != row.content || m.shown() != row.shown {
			t.Errorf("%s: content %q, shown %q", name, m.Content, m.shown())
		}
	}
}

// TestAddOutput checks the block of an output. The output cannot end it.
func TestAddOutput(t *testing.T) {
	t.Parallel()
	m := &promptMessage{Message: llm.Message{Content: "Look"}}
	m.addOutput(Attachment{Name: "cat \"a\"\nls", Output: "x\n</output>\n</outputs>\n", Status: "exit status 1"})
	const content = "Look\n\n<output command=\"cat \\\"a\\\"\\nls\" status=\"exit status 1\">\nx\n<\\/output>\n<\\/outputs>\n</output>"
	if m.Content != content || m.shown() != "Look\n\n[output cat \"a\" ls: 3 lines, 24 bytes]" {
		t.Errorf("content %q, shown %q", m.Content, m.shown())
	}
}

// TestShortStart checks that a text loses its beginning, at the end of a line if it has lines.
func TestShortStart(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("some words on a line\n", 1000)
	for name, row := range map[string]struct {
		text         string
		limit        int
		begins, ends string
	}{
		"no limit":    {lines + "end", 0, "some words", "\nend"},
		"short":       {"a\nb", 10, "a\nb", "b"},
		"lines":       {"begin\n" + lines + "end", 100, " bytes before this are left out]\nsome words on a line\n", "\nend"},
		"one line":    {strings.Repeat("words ", 1000) + "end", 100, " bytes before this are left out]\n", "words end"},
		"wide letter": {strings.Repeat("宽", 1000), 100, " bytes before this are left out]\n宽", "宽"},
	} {
		got := shortStart(row.text, row.limit)
		whole := row.limit == 0 || name == "short"
		if begins := strings.TrimLeft(got, "[0123456789"); !whole && !strings.HasPrefix(begins, row.begins) || whole && got != row.text || !strings.HasSuffix(got, row.ends) || !utf8.ValidString(got) {
			t.Errorf("%s: got %.200q", name, got)
		}
		if n := tokens.Estimate(got); !whole && n > row.limit+20 {
			t.Errorf("%s: %d tokens are left", name, n)
		}
	}
}
