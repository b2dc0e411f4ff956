package transport_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm/transport"
)

// endless writes a piece repeatedly until the reader disconnects.
func endless(piece string) func(*io.PipeWriter) {
	return func(w *io.PipeWriter) {
		for {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}
}

// TestStreamLimits reads answers that exceed the limits.
func TestStreamLimits(t *testing.T) {
	t.Parallel()
	small := transport.Options{MaxStream: 1000, MaxEvent: 100}
	for name, test := range map[string]struct {
		body    func(*io.PipeWriter)
		message string
	}{
		"within both":             {says(0, strings.Repeat("data: "+strings.Repeat("x", 90)+"\n\n", 10)), ""},
		"events without end":      {endless("data: {}\n\n"), "reading the answer of http://service:1: it has more than the limit of 1000 bytes, so the connection was closed"},
		"comments without end":    {endless(": ping\n\n"), "limit of 1000 bytes,"},
		"blank lines without end": {endless("\n"), "limit of 1000 bytes,"},
		"line without end":        {endless("data: xxxx"), "limit of 100 bytes in one event"},
		"event without end":       {endless("data: xxxx\n"), "limit of 100 bytes in one event"},
		"carriage returns":        {says(0, strings.Repeat("data: "+strings.Repeat("x", 90)+"\r\n\r", 1), "\n"+"data: "+strings.Repeat("x", 90)+"\r\n\r\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := ask(t.Context(), small, answer{status: 200, body: test.body})
			if got := errorText(err); test.message == "" && err != nil || !strings.Contains(got, test.message) {
				t.Errorf("got %q, want %q", got, test.message)
			}
			if len(text) > 1000 {
				t.Errorf("%d bytes are read", len(text))
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestBodyLimit reads an answer that is not a stream.
func TestBodyLimit(t *testing.T) {
	t.Parallel()
	client := transport.NewClient(transport.Options{
		MaxBody: 1000, Client: &http.Client{Transport: answer{status: 200, body: endless(`{"models":[`)}},
	})
	ctx, call := transport.Plain(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service:1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := response.Body.Close(); err != nil {
		t.Error(err)
	}
	if err = call.Err(t.Context(), err); len(text) > 1000 || !strings.Contains(errorText(err), "limit of 1000 bytes") {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
}
