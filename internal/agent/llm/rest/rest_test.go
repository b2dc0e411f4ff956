package rest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/internal/agent/llm/transport"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"nothing":            {"", ""},
		"one":                {"data: a\n\n", "=a;"},
		"named":              {"event: x\ndata: a\n\n", "x=a;"},
		"without a space":    {"data:a\n\n", "=a;"},
		"carriage returns":   {"event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "x=a;=b;"},
		"several lines":      {"data: a\ndata\ndata: b\n\n", "=a\n\nb;"},
		"comments, ids":      {": ping\n\nid: 1\nretry: 5\ndata: a\n\n: ping\n\n", "=a;"},
		"a name without any": {"event: x\n\ndata: a\n\n", "=a;"},
		"no empty line":      {"data: a\n\ndata: b", "=a;=b;"},
		"no empty line, end": {"data: a\n", "=a;"},
		"empty data":         {"data:\n\n", "=;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, from := range map[string]io.Reader{"whole": strings.NewReader(test.text), "by bytes": iotest.OneByteReader(strings.NewReader(test.text))} {
				if got := all(from); got != test.want {
					t.Errorf("%s: got %q, want %q", how, got, test.want)
				}
			}
		})
	}
}

// all writes the events of a stream as name=data;, and its error.
func all(from io.Reader) string {
	var out strings.Builder
	for event, err := range rest.Events(from) {
		if err != nil {
			return out.String() + err.Error()
		}
		out.WriteString(event.Name + "=" + string(event.Data) + ";")
	}
	return out.String()
}

// TestCutStream checks that the half of an event is none.
func TestCutStream(t *testing.T) {
	t.Parallel()
	from := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(errors.New("cut")))
	if got := all(from); got != "=a;cut" {
		t.Errorf("got %q", got)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add("event: x\ndata: a\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		size := 0
		for event, err := range rest.Events(strings.NewReader(text)) {
			if err != nil {
				t.Fatal(err)
			}
			size += len(event.Name) + len(event.Data)
		}
		if size > len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	})
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		send   any
		want   string
	}{
		"answer":    {`{"ok":"yes"}`, nil, "yes"},
		"malformed": {`{"ok":`, nil, "reading the answer: unexpected end of JSON input"},
		"secret":    {`{"ok":secret}`, nil, "reading the answer: invalid character"},
		"unsent":    {`{}`, func() {}, "writing the request: json: unsupported type: func()"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Key") != "secret" {
					t.Errorf("the key is %q", r.Header.Get("X-Key"))
				}
				_, _ = io.WriteString(w, test.answer)
			}))
			defer server.Close()
			client := rest.Client{HTTP: transport.NewClient(transport.Options{}), Header: http.Header{"X-Key": {"secret"}}, Secrets: []string{"secret"}}
			var got struct {
				OK string `json:"ok"`
			}
			err := client.JSON(t.Context(), http.MethodPost, server.URL, test.send, &got)
			if err != nil {
				got.OK = err.Error()
			}
			if !strings.HasPrefix(got.OK, test.want) || strings.Contains(got.OK, "secret") {
				t.Errorf("got %q, want %q", got.OK, test.want)
			}
		})
	}
}

func TestErrorsHideSecrets(t *testing.T) {
	t.Parallel()
	client := rest.Client{HTTP: transport.NewClient(transport.Options{}), Secrets: []string{"sk-secret"}}
	var none any
	for name, err := range map[string]error{
		"address":   client.JSON(t.Context(), http.MethodGet, "http://user:sk-secret@ho st/", nil, &none),
		"malformed": client.Redact(&llm.Error{Message: "reading the answer: sk-secret", Malformed: true}),
	} {
		if err == nil || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	var failure *llm.Error
	if err := rest.Decode([]byte("{"), &none); !errors.As(err, &failure) || !failure.Malformed {
		t.Errorf("got %v", err)
	}
}
