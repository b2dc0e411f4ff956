package web_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/web"
)

// fetching is a tool that counts its calls and returns a text for each URL.
type fetching struct {
	tool.Tool
	calls *int
}

func (f fetching) Execute(_ context.Context, call tool.Call) (string, error) {
	*f.calls++
	switch url := call.Args["url"].(string); {
	case strings.HasSuffix(url, "/bad"):
		return "not here", errors.New("404")
	case strings.HasSuffix(url, "/image"):
		return call.Attach(url, nil)
	case strings.HasSuffix(url, "/long"):
		return strings.Repeat("äöü\n", 10_000), nil
	default:
		return fmt.Sprintf("%s %d", url, *f.calls), nil
	}
}

// TestPages has a row for each rule about what is fetched again, and about the parts of a page.
func TestPages(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	long := func(offset any) args { return args{"url": "https://a.example/long", "offset": offset} }
	for name, row := range map[string]struct {
		before, call args
		want         string
		calls        int
	}{
		"first":           {nil, args{"url": "https://a.example/"}, "https://a.example/ 1", 1},
		"again":           {args{"url": "https://a.example/"}, args{"url": "https://a.example/"}, "https://a.example/ 1", 1},
		"spelled anew":    {args{"url": "https://a.example/"}, args{"url": "HTTP://A.example/#x"}, "https://a.example/ 1", 1},
		"fresh":           {args{"url": "https://a.example/"}, args{"url": "https://a.example/", "fresh": true}, "https://a.example/ 2", 2},
		"another":         {args{"url": "https://a.example/"}, args{"url": "https://a.example/?b"}, "https://a.example/?b 2", 2},
		"an error":        {args{"url": "https://a.example/bad"}, args{"url": "https://a.example/bad"}, "not here: 404", 2},
		"an image":        {args{"url": "https://a.example/image"}, args{"url": "https://a.example/image"}, "shown", 2},
		"a long page":     {nil, long(0), "[... 32767 of 70000 bytes; go on with offset 32767 ...]", 1},
		"the rest":        {long(0), long(65534), "ü\n", 1},
		"the middle":      {long(0), long(float64(32767)), "[... 65534 of 70000 bytes; go on with offset 65534 ...]", 1},
		"inside a letter": {long(0), long(69998), "ü\n", 1},
		"beyond the end":  {long(0), long(70_000), ": the page has no offset 70000; it has 70000 bytes", 1},
		"far beyond":      {nil, long(1e15), ": the page has no offset 1000000000000000; it has 70000 bytes", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			made := (&web.Pages{}).Tool(fetching{calls: &calls})
			do := func(args args) string {
				out, err := made.Execute(t.Context(), tool.Call{Args: args, Attach: func(string, []byte) (string, error) { return "shown", nil }})
				if err != nil {
					out += ": " + err.Error()
				}
				return out
			}
			if row.before != nil {
				do(row.before)
			}
			if got := do(row.call); !strings.HasSuffix(got, row.want) || calls != row.calls {
				t.Errorf("got ...%q after %d calls", got[max(0, len(got)-100):], calls)
			}
		})
	}
}

// TestPagesAreBounded checks that the oldest pages are fetched again.
func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	calls := 0
	made := (&web.Pages{}).Tool(fetching{calls: &calls})
	get := func(n int) {
		if _, err := made.Execute(t.Context(), tool.Call{Args: map[string]any{"url": fmt.Sprintf("https://a.example/%d", n)}}); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 51 {
		get(n)
	}
	get(50)
	get(1)
	if calls != 51 {
		t.Errorf("%d calls for the newest pages", calls)
	}
	if get(0); calls != 52 {
		t.Errorf("%d calls for the oldest page", calls)
	}
}
