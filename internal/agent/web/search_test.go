package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
)

// TestSearch has a row for each answer of a server.
func TestSearch(t *testing.T) {
	t.Parallel()
	const two = `{"results": [{"title": "A\u001b[31m b", "url": "https://a.example/", "content": "first\nline"}, {"title": "B", "url": "https://b.example/"}], "answers": []}`
	for name, row := range map[string]struct {
		path   string
		status int
		body   string
		want   []Found
		fails  string
	}{
		"results":       {"", 200, two, []Found{{"A b", "https://a.example/", "first line"}, {"B", "https://b.example/", ""}}, ""},
		"below a path":  {"/searx/", 200, two, []Found{{"A b", "https://a.example/", "first line"}, {"B", "https://b.example/", ""}}, ""},
		"nothing":       {"", 200, `{"results": []}`, nil, ""},
		"without a URL": {"", 200, `{"results": [{"title": "x"}, {"url": "` + strings.Repeat("x", maxURL+1) + `"}]}`, nil, ""},
		"too many":      {"", 200, `{"results": [` + strings.Repeat(`{"url": "u"},`, 9) + `{"url": "u"}]}`, slices.Repeat([]Found{{URL: "u"}}, 5), ""},
		"no JSON":       {"", 200, "<html>", nil, "the answer is not JSON of SearXNG"},
		"JSON is off":   {"", 403, "", nil, "add json to search.formats"},
		"an error":      {"", 500, "", nil, "the server answered 500 Internal Server Error"},
		"redirect":      {"", 302, "", nil, "the server answered 302 Found"},
		"too long":      {"", 200, strings.Repeat(" ", limit.PageSource+1), nil, "the answer has more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if want := strings.TrimRight(row.path, "/") + "/search"; r.URL.Path != want || r.URL.Query().Get("q") != "a & b" || r.URL.Query().Get("format") != "json" {
					t.Errorf("requested %s", r.URL)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(row.status)
				_, _ = fmt.Fprint(w, row.body)
			}))
			defer server.Close()
			got, err := Searcher{Server: server.URL + row.path}.Search(t.Context(), "a & b", 5)
			if !slices.Equal(got, row.want) || (err == nil) != (row.fails == "") || err != nil && !strings.Contains(err.Error(), row.fails) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestSearchEnds checks that a server that never answers, and one that nobody can reach, end the search.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	defer server.Close()
	defer close(silent)
	if _, err := (Searcher{Server: server.URL, Patience: time.Millisecond}).Search(t.Context(), "q", 1); !errors.Is(err, errTooSlow) {
		t.Errorf("a silent server: %v", err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := (Searcher{Server: server.URL}).Search(ctx, "q", 1); !errors.Is(err, gone) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := (Searcher{Server: "http://localhost:1"}).Search(t.Context(), "q", 1); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody listens: %v", err)
	}
}
