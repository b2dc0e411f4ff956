package pipeline_test

import (
	"context"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// placed is a handler with a rank and a directory. It adds its name to a prompt.
type placed struct {
	name      string
	rank      int
	directory string
}

func (p placed) Name() string      { return p.name }
func (p placed) Rank() int         { return p.rank }
func (p placed) Directory() string { return p.directory }

func (p placed) Handle(_ context.Context, _ hookpoint.Name, in any) (any, error) {
	c, _ := in.(sdk.UserMessageContext)
	text := c.Content + p.name
	return sdk.UserMessageResult{Content: &text}, nil
}

func TestSorted(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		order    hookpoint.Order
		handlers source
		want     string
	}{
		"none":                             {},
		"by name":                          {hookpoint.ByName, source{says("b", nil, nil), says("c", nil, nil), says("a", nil, nil)}, "a b c"},
		"the rank precedes the name":       {hookpoint.ByName, source{placed{name: "a", rank: 2}, placed{name: "b", rank: 1}, placed{name: "c", rank: 1}}, "b c a"},
		"the name precedes the directory":  {hookpoint.ByName, source{placed{name: "b", directory: "1"}, placed{name: "a", directory: "2"}}, "a b"},
		"without a rank, it is 0":          {hookpoint.ByName, source{placed{name: "a", rank: 1}, says("b", nil, nil), placed{name: "c", rank: -1}}, "c b a"},
		"by directory":                     {hookpoint.ByDirectory, source{placed{name: "a", directory: "2"}, placed{name: "b", directory: "1"}}, "b a"},
		"the rank precedes the directory":  {hookpoint.ByDirectory, source{placed{name: "a", rank: 1, directory: "1"}, placed{name: "b", directory: "2"}}, "b a"},
		"equal directories keep the order": {hookpoint.ByDirectory, source{placed{name: "b", directory: "1"}, placed{name: "a", directory: "1"}}, "b a"},
		"without a directory, too":         {hookpoint.ByDirectory, source{says("b", nil, nil), says("a", nil, nil)}, "b a"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, h := range pipeline.Sorted(tt.order, []pipeline.Handler(tt.handlers)) {
				got = append(got, h.Name())
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRunSorts checks that handlers are called in the order of the point.
func TestRunSorts(t *testing.T) {
	t.Parallel()
	src := source{placed{name: "a", rank: 1}, placed{name: "c"}, placed{name: "b"}}
	out := pipeline.Run(t.Context(), src, hookpoint.UserMessage, sdk.UserMessageContext{Content: ">"}, nil)
	if out.Prompt == nil || *out.Prompt != ">bca" {
		t.Errorf("got %v", out.Prompt)
	}
}
