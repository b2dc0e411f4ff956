package session

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestHide checks that a secret is never written, and that a message whose thinking changes loses its signed thinking.
func TestHide(t *testing.T) {
	t.Parallel()
	j := create(t)
	j.Hide(func(document []byte) []byte { return bytes.ReplaceAll(document, []byte("hush"), []byte("[redacted]")) })
	messages := conversation()
	messages[1].Content = "the hush"
	messages[2].Thinking = "a hush"
	messages[2].ThinkingBlocks = []llm.ThinkingBlock{{Text: "a hush", Signature: "s"}}
	appendAll(t, j, messages)
	if err := j.Note(State{Title: "hush"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(j.Path())
	if err != nil || strings.Contains(string(text), "hush") {
		t.Errorf("read %s, %v", text, err)
	}
	s := load(t, j)
	if s.Messages[1].Content != "the [redacted]" || s.Messages[2].ThinkingBlocks != nil || s.State.Title != "[redacted]" {
		t.Errorf("got %+v", s)
	}
}
