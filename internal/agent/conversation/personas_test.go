package conversation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
)

// stub is a provider that describes and lists models and has no answers.
type stub struct {
	model  llm.Model
	models []llm.Model
	err    error
}

func (s *stub) Model(context.Context, string) (llm.Model, error) { return s.model, s.err }
func (s *stub) Models(context.Context) ([]llm.Model, error)      { return s.models, nil }
func (s *stub) Chat(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{}, errors.New("the stub has no answers")
}

// TestPendingSwitches checks that switches are made in order, and that the last one answers the next prompt.
func TestPendingSwitches(t *testing.T) {
	t.Parallel()
	var p personas
	ready := func(agent string) change {
		return change{to: Ready{speaker{Persona: Persona{Agent: agent}}}, reason: agent}
	}
	p.replace(ready("a").to.speaker)
	p.request(ready("b"))
	p.request(ready("c"))
	if p.current().Agent != "a" || p.next().Agent != "c" {
		t.Errorf("%s answers, then %s", p.current().Agent, p.next().Agent)
	}
	tools, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	p.setTools(tools)
	var order []string
	for next, ok := p.nextSwitch(); ok; next, ok = p.nextSwitch() {
		order = append(order, next.reason)
		if has := next.to.speaker.Tools == tools; has != (next.reason == "c") {
			t.Errorf("%s has the new tools: %t", next.reason, has)
		}
	}
	if got := strings.Join(order, " "); got != "b c" || p.current().Tools != tools {
		t.Errorf("made %s", got)
	}
	if before := p.replace(ready("d").to.speaker); before.Agent != "a" || p.next().Agent != "d" {
		t.Errorf("%s was before %s", before.Agent, p.next().Agent)
	}
}

// TestLimits checks which persona decides about a limit: the current one, or else the first.
func TestLimits(t *testing.T) {
	t.Parallel()
	first := Persona{MaxSteps: 1, TokenBudget: 2, ResultTokens: 3, Compaction: &Compaction{MaxTokens: 4}}
	for name, row := range map[string]struct {
		who  Persona
		want [4]int
	}{
		"none of its own": {Persona{}, [4]int{1, 2, 3, 4}},
		"its own":         {Persona{MaxSteps: 5, TokenBudget: 6, ResultTokens: 7, Compaction: &Compaction{MaxTokens: 8}}, [4]int{5, 6, 7, 8}},
		"no limit":        {Persona{TokenBudget: -1, ResultTokens: -1, Compaction: &Compaction{}}, [4]int{1, -1, -1, 0}},
	} {
		p := personas{first: first, who: speaker{Persona: row.who}}
		if got := [4]int{p.maxSteps(), p.budget(), p.resultTokens(), p.compaction().MaxTokens}; got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

// TestResolve checks that a model that could not be described is described later, and only once.
func TestResolve(t *testing.T) {
	t.Parallel()
	provider := &stub{err: errors.New("offline")}
	var notices []event.Event
	p := personas{emit: func(e event.Event) { notices = append(notices, e) }}
	ready, err := p.prepare(t.Context(), Persona{Agent: "a", Provider: provider})
	if err != nil || len(notices) != 1 {
		t.Fatalf("got %v, %v", err, notices)
	}
	p.replace(ready.speaker)
	provider.model, provider.err = llm.Model{Name: "m"}, nil
	if err := p.resolve(t.Context()); err != nil || p.current().modelName() != "m" {
		t.Errorf("the model is %q, %v", p.current().modelName(), err)
	}
	provider.model.Name = "n"
	if err := p.resolve(t.Context()); err != nil || p.current().modelName() != "m" {
		t.Errorf("the model is now %q, %v", p.current().modelName(), err)
	}
	if _, err := p.prepare(t.Context(), Persona{Agent: "b"}); err == nil || !strings.Contains(err.Error(), `preparing agent "b": agent "b" has no provider`) {
		t.Errorf("got %v", err)
	}
}

// TestAdvice checks that a refusal names models that take the file.
func TestAdvice(t *testing.T) {
	t.Parallel()
	provider := &stub{models: []llm.Model{
		{Name: "z", Capabilities: []string{"vision"}},
		{Name: "blind", Capabilities: []string{"tools"}},
		{Name: "y", Capabilities: []string{"vision"}},
		{Name: "x"},
		{Name: "w", Capabilities: []string{"vision"}},
	}}
	who := speaker{Persona: Persona{Provider: provider}, model: provider.models[1]}
	a := attachments{personas: &personas{who: who}}
	if err := a.refusal(t.Context(), "image/png"); err == nil || !strings.Contains(err.Error(), "or /model, such as w or y, or add") {
		t.Errorf("got %v", err)
	}
	who.model = provider.models[3]
	a.personas.replace(who)
	if err := a.refusal(t.Context(), "image/png"); err != nil {
		t.Errorf("a model of which nothing is known: %v", err)
	}
}
