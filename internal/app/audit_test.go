package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/system/audit"
)

// TestAuditor records events of a session: those about decisions make a line each, without secrets, and others none.
func TestAuditor(t *testing.T) { //nolint:paralleltest // there is one log
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := audit.Open(audit.Options{To: audit.ToFile, Address: path})
	if err != nil {
		t.Fatal(err)
	}
	audit.Use(l)
	defer audit.Use(nil)
	secrets := &redact.Current{}
	secrets.Set(redact.New("s3cret-value"))
	a := auditor{secrets: secrets, session: func() string { return "the session" }, subjects: map[string]string{}}
	args := json.RawMessage(`{"command":"curl s3cret-value"}`)
	for _, ev := range []event.Event{
		event.ToolCall{ID: "1", Name: "Bash", Arguments: args},
		event.ToolCall{ID: "2", Name: "Ls", Arguments: json.RawMessage(`{"path":"."}`)},
		event.Approval{Name: "Bash", Arguments: args, Rule: "Bash", By: "feature tools", Decision: "always", Pattern: "Bash:curl*"},
		event.Approval{Name: "Bash", Arguments: args, Rule: "Bash", By: "feature tools", Decision: "once", Via: "aura web"},
		event.ToolResult{ID: "2", Name: "Ls", Content: "s3cret-value", Ran: true},
		event.ToolResult{ID: "1", Name: "Bash", Error: "denied", RefusedBy: "plugin guard"},
		event.Network{By: "Bash", Host: "evil.example", Port: 443, Verdict: event.NetworkRefused, Rule: "deny *"},
		event.Network{By: "Bash", Host: "good.example", Port: 443, Verdict: event.NetworkAllowed},
		event.Network{Dropped: 7},
		event.Notice{Text: "hello"},
	} {
		a.event(ev)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"approval|always|Bash|user|curl [redacted]; approves Bash:curl*; asked by feature tools Bash",
		"approval|once|Bash|user|curl [redacted]; asked by feature tools Bash; answered by aura web",
		"denied|refused|Bash|plugin guard|curl [redacted]: denied",
		"network|refused|evil.example:443|Bash|deny *",
		"network|left out|||7 connections that are not listed one by one",
	}
	var got []string
	for text := range strings.Lines(string(raw)) {
		var line audit.Line
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line.Session != "the session" {
			continue // of a test beside this one
		}
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", line.Kind, line.Action, line.Name, line.By, line.Text))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(a.subjects) != 0 {
		t.Errorf("calls are remembered: %v", a.subjects)
	}
}
