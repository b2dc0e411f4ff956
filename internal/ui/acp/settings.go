package acp

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// The settings of a session that a client can change. Each has the name of the slash command that changes it.
const (
	optionMode  = "mode"
	optionModel = "model"
	optionAgent = "agent"
	optionThink = "think"
)

// thinking holds the values of the option think.
var thinking = []frontend.Choice{{Value: "off"}, {Value: "low"}, {Value: "medium"}, {Value: "high"}}

// settings is what the client knows of a session beside its events. The session's goroutine owns it.
type settings struct {
	options  []configOption
	commands []availableCommand
	title    string
	usage    usage
	// models holds the models of all providers, and unlisted says which providers could not list theirs. Until they are listed,
	// models is nil.
	models   []frontend.Choice
	unlisted string
}

// sync reports what changed since it was reported last. It must be called by the session's goroutine, while the session is idle.
func (l *live) sync(ctx context.Context) {
	role := l.session.Role()
	if options := l.options(ctx, role); !reflect.DeepEqual(options, l.shown.options) {
		l.shown.options = options
		l.front.send(configOptions{Update: configUpdate, Options: options})
	}
	l.front.mu.Lock()
	l.front.showMode(modeOf(role))
	l.front.mu.Unlock()
	if commands := commandsOf(l.session.Commands()); !reflect.DeepEqual(commands, l.shown.commands) {
		l.shown.commands = commands
		l.front.send(availableCommands{Update: commandUpdate, Commands: commands})
	}
	l.front.plan(l.session.Todos())
}

// count reports the title and the usage of the session if they changed. Counting tokens takes long for the first time, so that it has no
// place before the first answer of a new session. It must be called like sync.
func (l *live) count() {
	status := l.session.Status()
	if title := plaintext.Line(status.Title); title != l.shown.title {
		l.shown.title = title
		l.front.send(sessionTitle{Update: infoUpdate, Title: title})
	}
	if used := usageOf(status); !reflect.DeepEqual(used, l.shown.usage) {
		l.shown.usage = used
		l.front.send(used)
	}
}

// noMode is the value of the mode option that means no mode.
const noMode = "none"

func modeOf(r frontend.Role) string { return cmp.Or(r.Mode, noMode) }

// modes returns the modes of the session; nil if none is configured.
func (l *live) modes(ctx context.Context) *modeState {
	choices, err := l.session.Choices(ctx, optionMode)
	if err != nil || len(choices) == 0 {
		return nil
	}
	out := &modeState{CurrentModeID: modeOf(l.session.Role())}
	for _, c := range known(choices, out.CurrentModeID) {
		out.AvailableModes = append(out.AvailableModes, sessionMode{ID: c.Value, Name: named(c), Description: plaintext.Line(c.Detail)})
	}
	return out
}

// options returns the settings that the client can change.
func (l *live) options(ctx context.Context, role frontend.Role) []configOption {
	out := []configOption{}
	add := func(id, name, about, category, current string, choices []frontend.Choice) {
		o := configOption{Type: "select", ID: id, Name: name, Description: about, Category: category, CurrentValue: current}
		for _, c := range known(choices, current) {
			o.Options = append(o.Options, configValue{Value: c.Value, Name: named(c), Description: plaintext.Line(c.Detail)})
		}
		out = append(out, o)
	}
	// The lists of agents and modes are parts of the configuration in memory, so listing them cannot fail.
	if modes, _ := l.session.Choices(ctx, optionMode); len(modes) > 0 {
		add(optionMode, "Mode", "The mode that the agent works in.", "mode", modeOf(role), modes)
	}
	if agents, _ := l.session.Choices(ctx, optionAgent); len(agents) > 0 {
		add(optionAgent, "Agent", "The agent that answers.", "_aura_agent", role.Agent, agents)
	}
	about := "The model that answers."
	if l.shown.unlisted != "" {
		about += " " + l.shown.unlisted
	}
	current, models := currentModel(l.shown.models, role), l.shown.models
	add(optionModel, "Model", about, "model", current, models)
	add(optionThink, "Thinking", "How much the model thinks.", "thought_level", role.Think, thinking)
	return out
}

// currentModel returns the value of the present model in the list of models.
func currentModel(models []frontend.Choice, role frontend.Role) string {
	for _, value := range []string{role.Provider + "/" + role.Model, role.Model} {
		if slices.ContainsFunc(models, func(c frontend.Choice) bool { return c.Value == value }) {
			return value
		}
	}
	return role.Provider + "/" + role.Model
}

// known returns choices with the current value, which may be a hidden one.
func known(choices []frontend.Choice, current string) []frontend.Choice {
	if slices.ContainsFunc(choices, func(c frontend.Choice) bool { return c.Value == current }) {
		return choices
	}
	return append([]frontend.Choice{{Value: current}}, choices...)
}

func named(c frontend.Choice) string { return plaintext.Line(cmp.Or(c.Title, c.Value, "(default)")) }

// listModels asks the providers for their models and reports the list to the client.
func (l *live) listModels(ctx context.Context) {
	var models []frontend.Choice
	var fault error
	if l.use(func(s frontend.Session) { models, fault = s.Choices(ctx, optionModel) }) != nil || ctx.Err() != nil {
		return
	}
	// A session that is closed needs no list.
	_ = l.enqueue(func() {
		l.shown.models, l.shown.unlisted = models, ""
		if fault != nil {
			l.shown.unlisted = "Not listed: " + plaintext.Line(fault.Error())
		}
		l.sync(ctx)
	}, nil)
}

func commandsOf(list []frontend.CommandInfo) []availableCommand {
	out := []availableCommand{}
	for _, c := range list {
		one := availableCommand{
			Name: plaintext.Line(c.Name), Description: plaintext.Line(c.Description), Meta: label("command", map[string]any{"source": c.Source.String(), "origin": c.Origin}),
		}
		if hint := plaintext.Line(strings.Join(c.Hints, " ")); hint != "" {
			one.Input = &commandInput{Hint: hint}
		}
		out = append(out, one)
	}
	return out
}

func usageOf(s frontend.Status) usage {
	out := usage{Update: usageUpdate, Used: s.Context, Size: s.Limit, Meta: label("usage", map[string]any{"tokensIn": s.TokensIn, "tokensOut": s.TokensOut})}
	if s.CostUSD != nil {
		out.Cost = &cost{Amount: *s.CostUSD, Currency: "USD"}
	}
	return out
}

// spent returns the usage of the session as data of a response.
func (l *live) spent() meta { return l.shown.usage.Meta }

func (s *server) setMode(ctx context.Context, r request) {
	s.set(ctx, r, func(p sessionRequest) (string, string, error) { return optionMode, p.ModeID, nil }, func(*live) any { return struct{}{} })
}

func (s *server) setOption(ctx context.Context, r request) {
	s.set(ctx, r, func(p sessionRequest) (string, string, error) {
		value, ok := p.Value.(string)
		if !ok {
			return "", "", failure(codeInvalidParams, "the value of option %q must be a string", p.ConfigID)
		}
		return p.ConfigID, value, nil
	}, func(l *live) any { return map[string]any{"configOptions": l.shown.options} })
}

// set changes a setting when the session is idle.
func (s *server) set(ctx context.Context, r request, which func(sessionRequest) (id, value string, err error), result func(*live) any) {
	one, p, err := s.find(r)
	var id, value string
	if err == nil {
		id, value, err = which(p)
	}
	if err == nil {
		err = one.enqueue(func() {
			if err := one.apply(ctx, id, value); err != nil {
				r.answer(nil, err)
				return
			}
			r.answer(result(one), nil)
		}, nil)
	}
	if err != nil {
		r.answer(nil, err)
	}
}

// apply changes a setting to one of its values.
func (l *live) apply(ctx context.Context, id, value string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if id == optionModel && l.shown.models == nil {
		// The user chose before the list was there. What cannot be listed cannot be chosen, which the next lines report.
		l.shown.models, _ = l.session.Choices(ctx, optionModel)
	}
	i := slices.IndexFunc(l.options(ctx, l.session.Role()), func(o configOption) bool { return o.ID == id })
	if i < 0 {
		return failure(codeInvalidParams, "the session has no option %q", id)
	}
	option := l.options(ctx, l.session.Role())[i]
	if !slices.ContainsFunc(option.Options, func(v configValue) bool { return v.Value == value }) {
		return failure(codeInvalidParams, "option %q has no value %q", id, value)
	}
	if value == option.CurrentValue {
		return nil
	}
	l.front.quiet(true)
	_, err := l.session.RunLine(ctx, frontend.Line{Text: fmt.Sprintf("/%s %s", frontend.OwnCommand(l.session.Commands(), id), value)})
	refused := l.front.quiet(false)
	l.sync(ctx)
	switch {
	case err != nil:
		return err
	case refused != nil:
		return failure(codeInvalidParams, "%s", refused.Message)
	default:
		return nil
	}
}
