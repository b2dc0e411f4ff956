//go:build linux

package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestFleetWeb compares the pages about a fleet with fleet status --json, and opens the conversation of a task.
func TestFleetWeb(t *testing.T) {
	t.Parallel()
	l := newFleetLab(t, fleetScript)
	l.answerAtOnce(fleetScript)
	l.run("fleet", "submit", l.write("pages.jsonl", `{"id":"a","prompts":["do it"],"provider":"mine"}`+"\n"+`{"id":"b","prompts":["do it"],"provider":"nobody"}`+"\n"))
	l.drain()
	var status struct {
		Batches []struct {
			Batch                                    string
			Tasks, Running, Waiting, Tokens, Damaged int
			Results, Classes                         map[string]int
		}
		Spent struct{ Tokens int }
	}
	if err := json.Unmarshal([]byte(l.run("fleet", "status", "--json")), &status); err != nil || len(status.Batches) != 1 || len(status.Batches[0].Classes) != 1 {
		t.Fatalf("%v: %+v", err, status)
	}
	b := status.Batches[0]
	address, token := "", ""
	for line := range l.start("web") {
		if rest, ok := strings.CutPrefix(line, "http://"); ok {
			address, token, _ = strings.Cut(rest, "/#")
			break
		}
	}
	page := func(path string) string {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Aura-Token", token)
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v: %s", path, answer.StatusCode, err, body)
		}
		return string(body)
	}
	// The first answer may take longer than a page waits for it.
	whole := page("/fleet")
	for strings.Contains(whole, "has not answered yet") {
		whole = page("/fleet")
	}
	cell := func(label string, n int) string { return fmt.Sprintf(`data-label=%q class="number">%d</td>`, label, n) }
	fact := func(name string, n int) string { return fmt.Sprintf("<dt>%s</dt><dd>%d</dd>", name, n) }
	for _, want := range []string{
		`href="/fleet/` + b.Batch + `"`, cell("Tasks", b.Tasks), cell("Done", b.Results["done"]), cell("Failed", b.Results["failed"]+b.Damaged), cell("Running", b.Running), cell("Waiting", b.Waiting),
		fact("tokens spent", status.Spent.Tokens),
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the page of the fleet lacks %s: %s", want, whole)
		}
	}
	batch := page("/fleet/" + b.Batch)
	for class, n := range b.Classes {
		if !strings.Contains(batch, fact(class, n)) {
			t.Errorf("the page of the batch lacks %s: %s", fact(class, n), batch)
		}
	}
	for _, want := range []string{fact("tokens", b.Tokens), fact("tasks", b.Tasks), fact("failed", b.Results["failed"])} {
		if !strings.Contains(batch, want) {
			t.Errorf("the page of the batch lacks %s: %s", want, batch)
		}
	}
	if task := page("/fleet/" + b.Batch + "/a"); !strings.Contains(task, "do it") || !strings.Contains(task, `class="message assistant"`) || !strings.Contains(task, `<figure id="turn-`) {
		t.Errorf("the page of the task has no conversation: %s", task)
	}
}
