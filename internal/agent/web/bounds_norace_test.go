//go:build !race

package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/web"
)

// TestGetIsBounded fetches pages that are much larger than what is kept of them.
func TestGetIsBounded(t *testing.T) {
	t.Parallel()
	getPages(t, map[string]page{
		"a bomb":                   {url: "/bomb", want: "[more than 2097152 bytes: not shown, because it is no text]"},
		"nothing, packed for ever": {url: "/hollow", failure: "EOF", patience: 10 * time.Minute},
		"a large image":            {url: "/large-image", failure: "it is a file of type image/png with more than 5 MiB"},
	})
}

// TestMarkdownIsBounded checks that no page becomes a text that is much larger than itself, whatever it repeats.
func TestMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	const size = 300_000
	fill := func(text string) string { return strings.Repeat(text, size/len(text)) }
	for name, page := range map[string]string{
		"quotes":       strings.Repeat("<blockquote>", 400) + fill("a<br>"),
		"lists":        strings.Repeat("<ul><li>", 200) + fill("a<p>"),
		"wide table":   "<table><tr>" + fill("<td>a") + "</tr>" + fill("<tr><td>b") + "</table>",
		"long cell":    "<table><tr><td>" + fill("a ") + "<td>b</tr>" + fill("<tr><td>c<td>d") + "</table>",
		"spans":        "<table><tr>" + fill("<td colspan=1000 rowspan=1000>a") + "</tr></table>",
		"table tables": strings.Repeat("<table><tr><td>", 100) + fill("a<br>"),
		"links":        fill("<a href=x>a</a>"),
		"data":         "<img src='data:image/png;base64," + fill("A") + "'><a href='data:text/html," + fill("A") + "'>x</a>",
		"formatting":   fill("<b><i>"),
		"entities":     fill("&amp;"),
		"escapes":      fill("*_[]`"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := web.Markdown([]byte(page), "https://example.com/")
			if err != nil {
				// The parser refuses what is too deep.
				if !strings.Contains(err.Error(), "512") {
					t.Error(err)
				}
				return
			}
			if most := 20*len(page) + 1<<12; len(out) > most && len(out) > 1<<20+1<<13 {
				t.Errorf("%d bytes become %d", len(page), len(out))
			}
		})
	}
}
