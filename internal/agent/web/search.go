package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// Searcher asks a SearXNG server.
type Searcher struct {
	// Server is the address of the server, with the path before /search.
	Server string
	// Patience is how long the server may take. Zero means half a minute.
	Patience time.Duration
}

// Found is a result of a search.
type Found struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

// Search returns the first results for a query, at most a number of them. Their texts are one line each.
func (s Searcher) Search(ctx context.Context, query string, most int) ([]Found, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(s.Patience, patience), errTooSlow)
	defer cancel()
	address, err := url.Parse(s.Server)
	if err != nil {
		return nil, errors.New("it is no URL")
	}
	address = address.JoinPath("search")
	address.RawQuery = url.Values{"q": {query}, "format": {"json"}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, errors.New("it is no URL")
	}
	request.Header.Set("Accept", "application/json")
	// A redirect could lead the words of the model to a server that the user does not know.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return nil, explain(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusForbidden:
		return nil, errors.New("the server answered 403 Forbidden: it may not offer JSON; add json to search.formats in its settings.yml")
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, int64(limit.PageSource)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", explain(ctx, err))
	case len(data) > limit.PageSource:
		return nil, fmt.Errorf("the answer has more than %s", limit.Size(limit.PageSource))
	}
	var answer struct {
		Results []Found `json:"results"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, errors.New("the answer is not JSON of SearXNG")
	}
	return Clean(answer.Results, most), nil
}

// Clean returns the first results of those that a service named, at most a number of them, as lines of text.
func Clean(results []Found, most int) []Found {
	var out []Found
	// A result with a longer address is left out, because a part of an address leads elsewhere.
	for _, f := range results {
		if f = (Found{Title: oneLine(f.Title), URL: plaintext.Line(f.URL), Content: oneLine(f.Content)}); f.URL != "" && len(f.URL) <= maxURL && len(out) < most {
			out = append(out, f)
		}
	}
	return out
}

// oneLine returns a text of a server on one line, shortened.
func oneLine(text string) string {
	const most = 1 << 10 // bytes
	return limit.Shorten(plaintext.Line(strings.ToValidUTF8(text, "\uFFFD")), most)
}
