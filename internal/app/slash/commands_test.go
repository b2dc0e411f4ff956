package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

var errRefused = errors.New("refused")

// runs runs a line with one of the commands. It returns the output, or the error after "error: ".
func runs(t *testing.T, commands []command.Command, line string) string {
	t.Helper()
	name, args, ok := command.Parse(line)
	i := slices.IndexFunc(commands, func(c command.Command) bool { return c.Name == name })
	if !ok || i < 0 {
		t.Fatalf("there is no command for %s", line)
	}
	result, err := commands[i].Run(t.Context(), args)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Output
}

// current is a session with a state.
type current struct {
	setup   *setup.Setup
	persona conversation.Persona
	state   sdk.Context
}

func (c *current) Setup() *setup.Setup           { return c.setup }
func (c *current) Persona() conversation.Persona { return c.persona }
func (c *current) State() sdk.Context            { return c.state }

// roles is a session that records changes of its role.
type roles struct {
	current
	choices  []frontend.Choice
	unlisted error
	refuses  bool
	switched string
}

func (r *roles) Choices(context.Context, string) ([]frontend.Choice, error) {
	return r.choices, r.unlisted
}

func (r *roles) Switch(_ context.Context, to setup.Role, reason string) error {
	if r.refuses {
		return errRefused
	}
	r.setup.Role = to
	r.persona = conversation.Persona{Agent: to.Agent.Name, Mode: to.Mode.Name, ProviderName: to.Provider}
	r.state.ModelInfo.Name = to.Model
	r.switched = reason
	return nil
}

func (r *roles) Change(_ context.Context, change func(*setup.Source, *setup.Role)) error {
	if r.refuses {
		return errRefused
	}
	change(&r.setup.Source, &r.setup.Role)
	r.state.ThinkMode = string(r.setup.Role.Think)
	return nil
}

// newRoles returns a session with agent a in mode fast of its own, which is one of several agents and modes.
func newRoles() *roles {
	configured := &config.Config{Entities: config.Entities{
		Agents: map[string]config.Agent{
			"a": {Name: "a", Description: "The  first", Mode: "fast"}, "b": {Name: "b"},
			"hidden": {Name: "hidden", Hide: true}, "sub": {Name: "sub", Subagent: true},
		},
		Modes: map[string]config.Mode{
			"fast": {Name: "fast", Description: "Be fast"}, "plan": {Name: "plan"}, "secret": {Name: "secret", Hide: true},
		},
		Providers: map[string]config.Provider{"here": {}},
	}}
	r := &roles{}
	r.setup = &setup.Setup{Source: setup.Source{Config: configured, Vars: map[string]string{}}}
	r.setup.Role = setup.Role{Agent: configured.Agents["a"], Mode: configured.Modes["fast"], Provider: "here", Model: "m"}
	r.persona = conversation.Persona{Agent: "a", Mode: "fast", ProviderName: "here"}
	r.state.ModelInfo.Name, r.state.ThinkMode = "m", "off"
	return r
}

// TestRoleCommands runs lines and compares the last output, and the reason of the last switch.
func TestRoleCommands(t *testing.T) {
	t.Parallel()
	const next, user = sdk.SwitchReasonCycle, sdk.SwitchReasonUser
	const noNext = "error: choosing the next agent: there is none; put one into .aura/config/agents/"
	refuses := func(r *roles) { r.refuses = true }
	listing := func(err error, choices ...frontend.Choice) func(*roles) {
		return func(r *roles) { r.choices, r.unlisted = choices, err }
	}
	for name, row := range map[string]struct {
		change func(*roles)
		lines  []string
		want   string
		reason string
	}{
		"agents":                         {nil, []string{"/agent"}, "a (current)  The first\nb\nsub", ""},
		"no agents":                      {func(r *roles) { r.setup.Config.Agents = nil }, []string{"/agent"}, "no agents are configured", ""},
		"an agent loses its own mode":    {nil, []string{"/agent b"}, "now using agent b", user},
		"a chosen mode stays":            {nil, []string{"/mode plan", "/agent b"}, "now using agent b, mode plan", user},
		"the next agent":                 {nil, []string{"/agent --next"}, "now using agent b", next},
		"after the last agent the first": {nil, []string{"/agent --next", "/agent --next"}, "now using agent a, mode fast", next},
		"no next agent":                  {func(r *roles) { r.setup.Config.Agents = nil }, []string{"/agent --next"}, noNext, ""},
		"an agent that is refused":       {refuses, []string{"/agent b"}, "error: refused", ""},
		"modes":                          {nil, []string{"/mode"}, "plan\nfast (current)  Be fast", ""},
		"no modes":                       {func(r *roles) { r.setup.Config.Modes = nil }, []string{"/mode"}, "no modes are configured", ""},
		"a mode":                         {nil, []string{"/mode plan"}, "now using agent a, mode plan, provider here, model m", user},
		"the next mode":                  {nil, []string{"/mode --next"}, "now using agent a, mode plan, provider here, model m", next},
		"after the last mode the first":  {nil, []string{"/mode plan", "/mode --next"}, "now using agent a, mode fast, provider here, model m", next},
		"after none the first mode":      {nil, []string{"/mode none", "/mode --next"}, "now using agent a, mode plan, provider here, model m", next},
		"a mode that is refused":         {refuses, []string{"/mode plan"}, "error: refused", ""},
		"the model":                      {nil, []string{"/model"}, "agent a, mode fast, provider here, model m", ""},
		"a model of the same provider":   {nil, []string{"/model n"}, "now using agent a, mode fast, provider here, model n", user},
		"a model of a provider":          {nil, []string{"/model here/n"}, "now using agent a, mode fast, provider here, model n", user},
		"a model whose name has a slash": {nil, []string{"/model maker/n"}, "now using agent a, mode fast, provider here, model maker/n", user},
		"a model that is refused":        {refuses, []string{"/model n"}, "error: refused", ""},
		"models": {func(r *roles) {
			r.choices = []frontend.Choice{{Value: "n"}, {Value: "m", Detail: "big", Current: true}}
		}, []string{"/model --list"}, "m (current)  big\nn", ""},
		"some models":                  {listing(errRefused, frontend.Choice{Value: "n"}), []string{"/model --list"}, "n\nrefused", ""},
		"models that cannot be listed": {listing(errRefused), []string{"/model --list"}, "error: refused", ""},
		"no models":                    {nil, []string{"/model --list"}, "the providers offer no models", ""},
		"thinking":                     {nil, []string{"/think"}, "thinking: off", ""},
		"more thinking":                {nil, []string{"/think high"}, "thinking: high", ""},
		"thinking that is refused":     {refuses, []string{"/think high"}, "error: refused", ""},
		"no variables":                 {nil, []string{"/set"}, "no variables are set", ""},
		"a variable":                   {nil, []string{"/set  a  =  b = c "}, `a is "b = c"`, ""},
		"variables":                    {nil, []string{"/set b=1", "/set a=", "/set"}, "a\nb  1", ""},
		"a variable without a value":   {nil, []string{"/set a"}, "error: setting a variable: write it as /set KEY=VALUE", ""},
		"a variable without a name":    {nil, []string{"/set =a"}, "error: setting a variable: write it as /set KEY=VALUE", ""},
	} {
		r := newRoles()
		if row.change != nil {
			row.change(r)
		}
		var got string
		for _, line := range row.lines {
			got = runs(t, RoleCommands(r), line)
		}
		if got != row.want || r.switched != row.reason {
			t.Errorf("%s: got %q, reason %q", name, got, r.switched)
		}
	}
	for _, line := range []string{"/agent nobody", "/mode nothing", "/think a lot"} {
		r := newRoles()
		if got := runs(t, RoleCommands(r), line); !strings.HasPrefix(got, "error: ") || r.switched != "" {
			t.Errorf("%s: got %q, reason %q", line, got, r.switched)
		}
	}
}

// toggles is a session that records what is turned on and off.
type toggles struct{ state sdk.Context }

func (s *toggles) State() sdk.Context { return s.state }
func (s *toggles) SetAuto(on bool)    { s.state.Auto = on }
func (s *toggles) SetDone(on bool)    { s.state.DoneActive = on }
func (s *toggles) SetVerbose(on bool) { s.state.Features.ShowThinking = on }

func TestToggleCommands(t *testing.T) {
	t.Parallel()
	for line, row := range map[string]struct{ want, then string }{
		"/auto":        {"auto mode is on", "true false false"},
		"/auto off":    {"auto mode is off", "false false false"},
		"/auto maybe":  {`error: reading "maybe": use on or off, or nothing to toggle`, "false false false"},
		"/done on":     {"done mode is on", "false true false"},
		"/done 1":      {`error: reading "1": use on or off, or nothing to toggle`, "false false false"},
		"/verbose":     {"thinking is shown", "false false true"},
		"/verbose off": {"thinking is not shown", "false false false"},
		"/verbose all": {`error: reading "all": use on or off, or nothing to toggle`, "false false false"},
	} {
		s := &toggles{}
		got := runs(t, ToggleCommands(s), line)
		if then := fmt.Sprint(s.state.Auto, s.state.DoneActive, s.state.Features.ShowThinking); got != row.want || then != row.then {
			t.Errorf("%s: got %q, then %s", line, got, then)
		}
	}
}

// rewinder is a session with a history. Of that, a compaction leaves one message.
type rewinder struct {
	history []llm.Message
	refuses bool
}

func (s *rewinder) History() []llm.Message { return s.history }

func (s *rewinder) Rewind(keep int) error {
	if s.refuses {
		return errRefused
	}
	s.history = s.history[:keep]
	return nil
}

func (s *rewinder) Compact(context.Context) error {
	if s.refuses {
		return errRefused
	}
	s.history = s.history[:1]
	return nil
}

func TestHistoryCommands(t *testing.T) {
	t.Parallel()
	talk := []llm.Message{
		{Role: llm.RoleUser, Content: "one"},
		{Role: llm.RoleAssistant},
		{Role: llm.RoleUser, Content: "two\nlines"},
		{Role: llm.RoleAssistant},
		{Role: llm.RoleUser, Content: "added", Synthetic: true},
		{Role: llm.RoleAssistant},
	}
	const all = 6
	for name, row := range map[string]struct {
		line    string
		refuses bool
		want    string
		left    int
	}{
		"clear":                       {"/clear", false, "the conversation is forgotten", 0},
		"clear that fails":            {"/clear", true, "error: refused", all},
		"undo, not of added messages": {"/undo", false, "undone: two lines (and 3 messages after it)", 2},
		"undo of several":             {"/undo 2", false, "undone: one (and 5 messages after it)", 0},
		"undo of too many":            {"/undo 3", false, "error: taking back 3 prompts: there are 2", all},
		"undo of no number":           {"/undo two", false, `error: taking back prompts: "two" is not how many, from 1 on`, all},
		"undo of none":                {"/undo 0", false, `error: taking back prompts: "0" is not how many, from 1 on`, all},
		"undo that fails":             {"/undo", true, "error: refused", all},
		"compact":                     {"/compact", false, "the history had 6 messages and has 1 now", 1},
		"compact that fails":          {"/compact", true, "error: refused", all},
	} {
		s := &rewinder{slices.Clone(talk), row.refuses}
		if got := runs(t, HistoryCommands(s), row.line); got != row.want || len(s.history) != row.left {
			t.Errorf("%s: got %q, %d messages are left", name, got, len(s.history))
		}
	}
	if got := runs(t, HistoryCommands(&rewinder{}), "/undo"); got != "error: taking back the last prompt: there is none" {
		t.Errorf("got %q", got)
	}
	// The conversation has reported the failure of a compaction itself.
	_, err := historyCommands{&rewinder{refuses: true}}.compact(t.Context(), "")
	if reported, ok := errors.AsType[*ReportedError](err); !ok || !errors.Is(reported, errRefused) {
		t.Errorf("got %v", err)
	}
}

// journal is a session that is saved.
type journal struct {
	saved   Saved
	refuses bool
}

func (j *journal) Saved() Saved          { return j.saved }
func (j *journal) SetTitle(title string) { j.saved.Title = title }

func (j *journal) Fork() error {
	if j.refuses {
		return errRefused
	}
	j.saved.ID = "2"
	return nil
}

func (j *journal) Export(file string) (string, error) { return "exported to " + file, nil }

func TestJournalCommands(t *testing.T) {
	t.Parallel()
	saved := Saved{ID: "1", Path: "dir/1.jsonl", Title: "first"}
	const unsaved = "error: this session is not saved; see the notice at its beginning for the reason"
	for name, row := range map[string]struct {
		journal journal
		line    string
		want    string
	}{
		"save":                       {journal{saved: saved}, "/save", "session first is saved in dir/1.jsonl"},
		"save with a name":           {journal{saved: saved}, "/save  the \n second", "session the second is saved in dir/1.jsonl"},
		"save what is not saved":     {journal{}, "/save", unsaved},
		"save what is saved no more": {journal{saved: Saved{ID: "1", Path: "dir/1.jsonl", Lost: true}}, "/save", unsaved},
		"name":                       {journal{saved: saved}, "/name second", "the session is named second"},
		"the name":                   {journal{saved: saved}, "/name", "the session is named first"},
		"fork":                       {journal{saved: saved}, "/fork", "this is session 2 now, a copy of 1"},
		"fork that fails":            {journal{saved: saved, refuses: true}, "/fork", "error: refused"},
		"fork what is not saved":     {journal{}, "/fork", "error: forking the session: it is not saved, so there is nothing to fork"},
		"explain what is not saved":  {journal{}, "/explain", "error: this session is not saved, so nothing is known about what happened"},
		"explain turn 0":             {journal{saved: saved}, "/explain 0", "error: explaining turn 0: turns are counted from 1"},
		"export":                     {journal{}, "/export  a file.md ", "exported to a file.md"},
	} {
		if got := runs(t, JournalCommands(&row.journal), row.line); got != row.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// todos is a session with a list of todos.
type todos struct{ list todo.List }

func (s *todos) Todos() *todo.List { return &s.list }
func (s *todos) ClearTodos() error { return s.list.Set(nil) }

func TestTodoCommands(t *testing.T) {
	t.Parallel()
	for line, row := range map[string]struct {
		want string
		left int
	}{
		"/todo clear": {"the list of todos is empty now", 0},
		"/todo 1":     {`error: reading "1": /todo takes nothing, or clear`, 1},
	} {
		s := &todos{}
		if err := s.list.Set([]todo.Item{{Content: "eat", Status: todo.Pending}}); err != nil {
			t.Fatal(err)
		}
		if got := runs(t, TodoCommands(s), "/todo"); !strings.Contains(got, "eat") {
			t.Errorf("got %q", got)
		}
		if got := runs(t, TodoCommands(s), line); got != row.want || len(s.list.Items()) != row.left {
			t.Errorf("%s: got %q, %d are left", line, got, len(s.list.Items()))
		}
	}
}

// servers is a session with MCP servers.
type servers []mcp.Status

func (s servers) Servers() []mcp.Status { return s }

func (servers) Login(_ context.Context, name, address string) error {
	return errors.New(strings.TrimSpace("login " + name + " " + address))
}

func (servers) Logout(_ context.Context, name string) error { return errors.New("logout " + name) }

func (s servers) Connect(_ context.Context, name string) error {
	i := slices.IndexFunc(s, func(one mcp.Status) bool { return one.Name == name })
	if i < 0 {
		return errRefused
	}
	s[i].State, s[i].Tools = "connected", []string{"x", "y"}
	return nil
}

func TestServerCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/mcp":       "bad    failed: it broke\nlater  deferred",
		"/mcp later": "bad    failed: it broke\nlater  connected; x, y",
		"/mcp none":  "error: refused",
	} {
		s := servers{{Name: "later", State: "deferred"}, {Name: "bad", State: "failed", Error: "it\nbroke"}}
		if got := runs(t, ServerCommands(s), line); got != want {
			t.Errorf("%s: got %q", line, got)
		}
	}
	if got := runs(t, ServerCommands(servers{}), "/mcp"); got != "no MCP servers are configured" {
		t.Errorf("got %q", got)
	}
}

// TestServerVerbs has a row for each form of /mcp.
func TestServerVerbs(t *testing.T) {
	t.Parallel()
	run := ServerCommands(servers{})[0].Run
	for args, want := range map[string]string{
		"login a": "login a", "logout a": "logout a", "leave a": `reading "leave a": /mcp takes nothing`, "login a b": "login a b", "logout a b": "/mcp takes nothing", "login a b c": "/mcp takes nothing",
	} {
		if _, err := run(t.Context(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", args, err)
		}
	}
}
