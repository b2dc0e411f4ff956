package conversation

import (
	"context"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tool"
)

// named is a tool that has only a name.
type named string

func (n named) Definition() tool.Definition { return tool.Definition{Name: string(n)} }

func (named) Execute(context.Context, tool.Call) (string, error) { return "", nil }

// newOffer offers the tools A, B and Done.
func newOffer(t *testing.T) *offer {
	t.Helper()
	tools, err := tool.NewRegistry(named("A"), named("B"), named(donetool.Name))
	if err != nil {
		t.Fatal(err)
	}
	o := &offer{}
	o.arm(tools)
	return o
}

// TestOffer checks which tools are offered after a series of steps, and which patterns are pending then.
func TestOffer(t *testing.T) {
	t.Parallel()
	arm := func(o *offer) { o.arm(o.registry()) }
	call := func(disabled ...string) func(*offer) { return func(o *offer) { o.call(disabled) } }
	disable := func(o *offer) { o.disable([]string{"A"}) }
	for name, row := range map[string]struct {
		steps         []func(*offer)
		want, pending string
	}{
		"all":                       {nil, "A B", ""},
		"done mode":                 {[]func(*offer){func(o *offer) { o.setDone(true) }, arm}, "A B Done", ""},
		"done mode in the next arm": {[]func(*offer){func(o *offer) { o.setDone(true) }}, "A B", ""},
		"withheld":                  {[]func(*offer){func(o *offer) { o.withhold([]string{"B"}) }, arm}, "A", ""},
		"disabled for this call":    {[]func(*offer){call("B")}, "A", ""},
		"disabled for the next":     {[]func(*offer){disable}, "A B", "A"},
		"shown between turns":       {[]func(*offer){disable, arm}, "B", "A"},
		"taken by the call":         {[]func(*offer){disable, call("B")}, "", ""},
		"gone after the call":       {[]func(*offer){disable, call(), func(o *offer) { o.called(false) }, arm}, "A B", ""},
		"kept if interrupted":       {[]func(*offer){disable, call(), func(o *offer) { o.called(true) }, arm}, "B", "A"},
		"restored":                  {[]func(*offer){func(o *offer) { o.restore([]string{"*"}) }, arm}, "", "*"},
		"no registry":               {[]func(*offer){func(o *offer) { o.arm(nil) }}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffer(t)
			for _, step := range row.steps {
				step(o)
			}
			if got := strings.Join(o.available(), " "); got != row.want || len(o.definitions()) != len(o.available()) {
				t.Errorf("offered are %q, want %q", got, row.want)
			}
			if got := strings.Join(o.pending(), " "); got != row.pending {
				t.Errorf("pending are %q, want %q", got, row.pending)
			}
			if empty := row.want == ""; (o.size() == 0) != empty || (o.estimate() == 0) != empty {
				t.Errorf("%d bytes, %d tokens", o.size(), o.estimate())
			}
		})
	}
}

// TestFind checks that only an offered tool is found.
func TestFind(t *testing.T) {
	t.Parallel()
	o := newOffer(t)
	o.call([]string{"B"})
	for name, want := range map[string]string{
		"A": "", "B": `tool "B" is not available at the moment`, "Done": `tool "Done" is not available at the moment`, "C": `there is no tool "C"`,
	} {
		found, err := o.find(name)
		if want == "" && (err != nil || found != named(name)) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, %v", name, found, err)
		}
	}
}
