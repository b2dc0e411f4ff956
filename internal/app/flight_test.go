package app

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/pipeline"
)

// TestBounded checks how changes are shortened for the journal, and that no part of a secret survives.
func TestBounded(t *testing.T) {
	t.Parallel()
	const secret = "sk-live-0123456789"
	long := strings.Repeat("line of a long text\n", 200)
	for rule, tt := range map[string]struct {
		in   pipeline.Change
		diff bool
		want string
	}{
		"short":            {pipeline.Change{Field: "f", Before: "a", After: "b"}, false, "b"},
		"long":             {pipeline.Change{Field: "f", Before: long, After: long + "more"}, true, "+more"},
		"long and new":     {pipeline.Change{Field: "f", After: long}, false, "line of a long text"},
		"a secret":         {pipeline.Change{Field: "f", After: "x " + secret}, false, redact.Mark},
		"a secret at cuts": {pipeline.Change{Field: "f", After: strings.Repeat("y", limit.FactText-5) + secret}, false, "y"},
		"a secret in both": {pipeline.Change{Field: "f", Before: long + secret, After: long + secret + "!"}, true, redact.Mark},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			got := bounded([]pipeline.Change{tt.in}, redact.New(secret))[0]
			text := got.Before + got.After + got.Diff
			if (got.Diff != "") != tt.diff || !strings.Contains(text, tt.want) || strings.Contains(text, "sk-l") || len(text) > 2*limit.FactText+limit.FactDiff {
				t.Errorf("got %+v", got)
			}
		})
	}
	many := bounded(make([]pipeline.Change, limit.FactChanges+3), nil)
	if len(many) != limit.FactChanges+1 || many[limit.FactChanges].Field != "3 more changes" {
		t.Errorf("got %d changes, the last is %+v", len(many), many[len(many)-1])
	}
}

// TestConcealed checks that the journal has no text that a plugin kept from the model.
func TestConcealed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a secret line\n", limit.FactText)
	for name, row := range map[string]struct {
		change pipeline.Change
		want   session.Change
	}{
		"shown":           {pipeline.Change{Field: "arguments", Before: "a", After: "b"}, session.Change{Field: "arguments", Before: "a", After: "b"}},
		"concealed":       {pipeline.Change{Field: "output", Before: "a", After: "b", Concealed: true}, session.Change{Field: "output", After: "b"}},
		"concealed, long": {pipeline.Change{Field: "output", Before: long, After: "b", Concealed: true}, session.Change{Field: "output", After: "b"}},
	} {
		if got := bounded([]pipeline.Change{row.change}, redact.New()); len(got) != 1 || got[0] != row.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
