package llmtest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// search checks what a request with Search sends, and what its answer contains.
func (s Suite) search(t *testing.T) {
	t.Helper()
	two := []llm.Found{{Title: "One", URL: "https://one.example/"}, {Title: "Two", URL: "https://two.example/"}}
	for name, test := range map[string]struct {
		reply Reply
		found []llm.Found
		want  int
	}{
		"two pages":      {Reply{Text: "Two.", Found: two, Usage: llm.Usage{Searches: 2}}, two, 2},
		"a page twice":   {Reply{Text: "Two.", Found: append(slices.Clone(two), two...), Usage: llm.Usage{Searches: 1}}, two, 1},
		"no address":     {Reply{Text: "Two.", Found: append([]llm.Found{{Title: "None"}}, two...), Usage: llm.Usage{Searches: 1}}, two, 1},
		"nothing":        {Reply{Text: "None.", Usage: llm.Usage{Searches: 1}}, nil, 1},
		"not even asked": {Reply{Text: "I know."}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.Start(t, test.reply)
			got, err := s.New(server.URL, nil).Chat(t.Context(), s.searching(), func(llm.Delta) {})
			if err != nil || got.Message.Content != test.reply.Text || !reflect.DeepEqual(got.Found, test.found) || got.Usage.Searches != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
			if got.Usage.Input != 10 || got.Usage.Output != 5 {
				t.Errorf("the usage is %+v", got.Usage)
			}
			most := 3
			if s.UnlimitedSearch {
				most = -1
			}
			request := server.Requests()[0]
			if lines := strings.Join(request.Lines(), "; "); request.Searches() != most || lines != "system: Be brief.; user: hi" || len(request.Tools()) != 0 {
				t.Errorf("the request is %s with %d searches: %s", lines, request.Searches(), request.Body)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		server := s.Start(t, Fail(http.StatusBadRequest, `{"error": {"message": "search is not enabled for this account"}}`))
		_, err := s.New(server.URL, nil).Chat(t.Context(), s.searching(), func(llm.Delta) {})
		if failure, ok := errors.AsType[*llm.Error](err); !ok || failure.Type != "" || !strings.Contains(failure.Message, "not enabled for this account") {
			t.Errorf("got %v", err)
		}
	})
}

// searching returns a request that lets the service search.
func (s Suite) searching() llm.Request {
	out := s.request()
	out.Tools, out.Search = nil, 3
	return out
}

// FuzzSearch checks that no stream breaks a provider that reads the answer to a search, and that each page that it finds has an
// address of its own.
func (s Suite) FuzzSearch(f *testing.F) {
	f.Helper()
	server := s.Start(f)
	for _, reply := range []Reply{{Text: "a", Found: []llm.Found{{Title: "b", URL: "c"}}, Usage: llm.Usage{Searches: 1}}, {SearchError: "unavailable", Usage: llm.Usage{Searches: 1}}} {
		for _, path := range []string{"", searchPath} {
			asked, err := server.protocol.parse(path, []byte(`{}`))
			if err != nil {
				f.Fatal(err)
			}
			said, end := asked.events(1, reply)
			f.Add([]byte(strings.Join(append(said, end...), "")))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := s.New(server.URL, &http.Client{Transport: answering(stream)}).Chat(t.Context(), s.searching(), func(llm.Delta) {})
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, page := range got.Found {
			if page.URL == "" || seen[page.URL] {
				t.Errorf("the pages are %+v", got.Found)
			}
			seen[page.URL] = true
		}
	})
}

// answering is a service that answers each request with the same stream.
type answering []byte

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(bytes.NewReader(a)), Request: r,
	}, nil
}
