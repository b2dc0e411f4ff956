package hookpoint_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// TestTable checks the required fields of every row.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[hookpoint.Name]bool{}
	for _, p := range hookpoint.All() {
		if seen[p.Name] {
			t.Errorf("%s has two rows", p.Name)
		}
		seen[p.Name] = true
		if f, ok := p.Context.FieldByName("Context"); !ok || !f.Anonymous || f.Type != reflect.TypeFor[sdk.Context]() {
			t.Errorf("%s: %s does not embed sdk.Context", p.Name, p.Context)
		}
		if p.CanBlock() != (p.Prevents != "") {
			t.Errorf("%s: it can block: %t, and says that this prevents %q", p.Name, p.CanBlock(), p.Prevents)
		}
		if p.AllOrNothing && !p.Chained {
			t.Errorf("%s: only a chained point can be all or nothing", p.Name)
		}
		if _, ok := p.Read("x", reflect.Zero(p.Result).Interface()); !ok {
			t.Errorf("%s does not read its own result type", p.Name)
		}
		if _, ok := p.Read("x", 3); ok {
			t.Errorf("%s reads a number as its result", p.Name)
		}
	}
}

// TestBlockedResultBlocks folds the result with which a plugin that fails closed blocks.
func TestBlockedResultBlocks(t *testing.T) {
	t.Parallel()
	some := false
	for _, p := range hookpoint.All() {
		if !p.CanBlock() {
			continue
		}
		some = true
		v, ok := p.Read("guard", p.Blocked("no"))
		if !ok || v.Message != "no" {
			t.Fatalf("%s: got %+v, %t", p.Name, v, ok)
		}
		var out hookpoint.Outcome
		p.Fold(&out, v)
		if out.Block == nil || !slices.Equal(out.Block.By, []string{"guard"}) {
			t.Errorf("%s: the result does not block: %+v", p.Name, out)
		}
	}
	if !some {
		t.Error("no point can block")
	}
}

type labelContext struct {
	sdk.Context
	Labels []string
}

type labelResult struct {
	sdk.Result
	Label string
}

// TestRowOfOwnTypes uses a point with types that no other package knows.
func TestRowOfOwnTypes(t *testing.T) {
	t.Parallel()
	p := hookpoint.Row[labelContext, labelResult]{
		Name: "Label",
		Next: func(in *labelContext, r *labelResult) bool {
			in.Labels = append(slices.Clone(in.Labels), r.Label)
			return r.Label != ""
		},
		Fold: func(out *hookpoint.Outcome, _ string, r labelResult) { out.Folded = r.Label },
	}.Point()
	given := labelContext{Labels: []string{"a"}}
	v, ok := p.Read("x", labelResult{Result: sdk.Result{Notice: "look"}, Label: "b"})
	if !ok || v.Notice != "look" {
		t.Fatalf("got %+v, %t", v, ok)
	}
	v.Notice = "cut"
	next, v := p.Next(p.Copy(given), v)
	if got := next.(labelContext).Labels; !slices.Equal(got, []string{"a", "b"}) || !v.Changed || len(given.Labels) != 1 {
		t.Errorf("got %q, changed %t, given %q", got, v.Changed, given.Labels)
	}
	var out hookpoint.Outcome
	p.Fold(&out, v)
	if out.Folded != "b" || p.CanBlock() || p.NewestResult(&given) != nil {
		t.Errorf("got %+v", out)
	}
	if err := p.Accept(given, v); err != nil {
		t.Error(err)
	}
}

// TestNewestResult checks that NewestResult returns the text that the wire can leave out.
func TestNewestResult(t *testing.T) {
	t.Parallel()
	in := sdk.AfterToolContext{ToolResult: "text"}
	if got := hookpoint.Of(hookpoint.AfterToolExecution).NewestResult(&in); got != &in.ToolResult {
		t.Errorf("got %v", got)
	}
	if got := hookpoint.Of("Nowhere").NewestResult(&in); got != nil {
		t.Errorf("an unknown point has a text: %v", got)
	}
}
