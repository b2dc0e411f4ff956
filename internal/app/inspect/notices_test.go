package inspect

import (
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
)

// TestNotices checks which notices are shown, and that they contain no secrets.
func TestNotices(t *testing.T) {
	t.Parallel()
	const secret = "sesame-open-1234"
	for name, tt := range map[string]struct {
		show func(*notices)
		want []string
	}{
		"each time":      {func(n *notices) { n.show("a"); n.show("a") }, []string{"a", "a"}},
		"once":           {func(n *notices) { n.once("a", "b", "a"); n.once("b") }, []string{"a", "b"}},
		"the sandbox":    {func(n *notices) { n.uncovered([]string{"a"}); n.uncovered([]string{"a"}) }, []string{"sandbox: a"}},
		"events":         {func(n *notices) { n.event(event.Notice{Text: "a"}); n.event(event.Command{Output: "b"}) }, []string{"a"}},
		"not a secret":   {func(n *notices) { n.show("key " + secret) }, []string{"key " + redact.Mark}},
		"nobody listens": {func(n *notices) { n.notify = nil; n.show("a"); n.once("b") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var secrets redact.Current
			secrets.Set(redact.New(secret))
			var got []string
			tt.show(newNotices(func(text string) { got = append(got, text) }, &secrets))
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
