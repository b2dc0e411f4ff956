package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
)

// TestTurns checks that every message leads to what plugins did in its turn, and that the timeline of a turn can be made wider.
func TestTurns(t *testing.T) {
	t.Parallel()
	var path string
	w := serve(t, false, func(w *world) {
		j := w.talk()
		path = "/sessions/" + j.ID()
		at := time.Now()
		for turn := 1; turn <= 2; turn++ {
			next := func() time.Time { at = at.Add(time.Second); return at }
			for _, err := range []error{
				j.Append(llm.Message{Role: llm.RoleUser, Content: "a prompt", CreatedAt: next()}),
				j.Tell(session.Fact{Kind: session.FactTurn, Turn: turn, At: next()}),
				j.Tell(session.Fact{Kind: session.FactCall, Turn: turn, At: next(), Plugin: "mine", Point: "BeforeChat", Took: time.Millisecond}),
				j.Append(llm.Message{Role: llm.RoleAssistant, Content: "an answer", CreatedAt: next()}),
				j.Append(llm.Message{Role: llm.RoleTool, ToolName: "Ls", Content: "a result", CreatedAt: next()}),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	_, page := w.do(request{path: path})
	articles := strings.Split(page, "<article")[1:]
	if len(articles) != 6 {
		t.Fatalf("%d messages: %s", len(articles), page)
	}
	for i, want := range []string{
		`<a href="#m-1">who changed this: turn 1`, "<summary>who changed this: turn 1", `<a href="#m-1">who changed this: turn 1`,
		`<a href="#m-4">who changed this: turn 2`, "<summary>who changed this: turn 2", `<a href="#m-4">who changed this: turn 2`,
	} {
		if !strings.Contains(articles[i], want) {
			t.Errorf("message %d has no %s: %s", i, want, articles[i])
		}
	}
	if strings.Contains(page, "Zoom") || !strings.Contains(page, "page=1&amp;turn=2") {
		t.Errorf("the page of all turns: %s", page)
	}
	for query, want := range map[string]string{"": `viewBox="0 0 1000 `, "&zoom=4": `viewBox="0 0 4000 `, "&zoom=5": `viewBox="0 0 1000 `, "&zoom=99999999": `viewBox="0 0 1000 `} {
		_, page := w.do(request{path: path + "?page=1&turn=2" + query})
		if strings.Count(page, want) != 1 || strings.Count(page, "<figure") != 1 || !strings.Contains(page, "page=1&amp;turn=2&amp;zoom=8") || strings.Contains(page, `class="wide"`) != (query == "&zoom=4") {
			t.Errorf("%s: no %s in %s", query, want, page)
		}
	}
}
