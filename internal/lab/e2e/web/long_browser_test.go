//go:build linux

package web

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// longMessages is how many messages the session of TestWebLongSession has, and longElements how many elements each of its pages may have.
const longMessages, longElements = 10_000, 3_000

// TestWebLongSession scrolls through a session of 10,000 messages, from the last page to the first. Each page is bounded, all together show each
// message once, and a message that arrives joins the last page without taking another one away.
func TestWebLongSession(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Run("run", "hi")
	id := p.Saved().Meta.ID
	found, err := filepath.Glob(filepath.Join(p.State, "sessions", "*.jsonl"))
	p.Check(err)
	journal, err := os.ReadFile(found[0])
	p.Check(err)
	begin, _, _ := bytes.Cut(journal, []byte("\n"))
	message := func(n int) string {
		return fmt.Sprintf(`{"message":{"role":"assistant","content":"# Answer %d\\n\\n- **one**\\n- two `+"`code`"+`\\n\\nand a line\\n"}}`+"\n", n)
	}
	all := bytes.NewBuffer(append(begin, '\n'))
	for n := range longMessages {
		all.WriteString(message(n))
	}
	p.Check(os.WriteFile(found[0], all.Bytes(), 0o600))
	s := web(p)
	b := browse(p)
	b.do(chromedp.Navigate("http://" + s.addr + "/sessions/" + id + "#" + s.token))
	b.shows(hundredFrom(9900))
	b.shows(text("#connection") + " === 'live'")
	b.eval("scrollTo(0, document.documentElement.scrollHeight)")
	file, err := os.OpenFile(found[0], os.O_APPEND|os.O_WRONLY, 0)
	p.Check(err)
	_, err = file.WriteString(message(longMessages))
	p.Check(err)
	p.Check(file.Close())
	b.shows("document.querySelectorAll('#messages article').length === 101")
	b.shows("document.getElementById('m-10000').getBoundingClientRect().top < innerHeight")

	seen := map[string]bool{}
	for first := longMessages - 100; ; first -= 100 {
		ids, _ := b.eval("[...document.querySelectorAll('#messages article')].map(e => e.id).join(' ')").(string)
		for one := range strings.FieldsSeq(ids) {
			if seen[one] {
				t.Errorf("message %s is on two pages", one)
			}
			seen[one] = true
		}
		if n, _ := b.eval("document.querySelectorAll('*').length").(float64); n > longElements {
			t.Errorf("the page from message %d has %.0f elements", first, n)
		}
		b.eval("scrollTo(0, document.documentElement.scrollHeight)")
		b.shows("document.querySelector('#messages article:last-child').getBoundingClientRect().top < innerHeight")
		if first == 0 {
			break
		}
		b.eval("document.querySelector('#pages-again a[rel=prev]').click()")
		b.shows(hundredFrom(first - 100))
	}
	if len(seen) != longMessages+1 {
		t.Errorf("%d messages were shown", len(seen))
	}
	b.quiet()
}

// hundredFrom is an expression that is true once a page shows the hundred messages from one on.
func hundredFrom(first int) string {
	return fmt.Sprintf("document.querySelectorAll('#messages article').length === 100 && document.querySelector('#messages article').id === 'm-%d'", first)
}
