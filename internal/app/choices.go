package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/idelchi/aura/sdk"
)

// Choices returns the values that a slash command takes. It may be called from any goroutine.
func (s *Session) Choices(ctx context.Context, command string) ([]frontend.Choice, error) {
	now := s.shown.Load().setup
	switch command {
	case "agent":
		return agentChoices(now.Config, s.talk.Persona().Agent), nil
	case "mode":
		return modeChoices(now.Config, s.talk.Persona().Mode), nil
	case "model":
		offers, err := inspect.Models(ctx, gate.Listing{Config: now.Config, Text: now.Config}, inspect.ModelOptions{Timeout: modelPatience, Notify: s.notices.once})
		if err != nil {
			return nil, s.secrets.Error(err)
		}
		out, err := modelChoices(now.Config, offers, s.talk.Context())
		return out, s.secrets.Error(err)
	case "resume":
		return sessionChoices(now.Config.State, s.around.Load().SessionID)
	case "rewind":
		return rewindChoices(s.History()), nil
	default:
		return nil, nil
	}
}

// rewindChoices returns the prompts, the last one first.
func rewindChoices(history []llm.Message) []frontend.Choice {
	var out []frontend.Choice
	for _, p := range slices.Backward(session.Prompts(history)) {
		out = append(out, frontend.Choice{Value: fmt.Sprint(p.Number), Title: p.Text, Detail: p.At.Local().Format("15:04")})
	}
	return out
}

func agentChoices(c *config.Config, current string) []frontend.Choice {
	var out []frontend.Choice
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		if agent := c.Agents[name]; !agent.Hide {
			out = append(out, frontend.Choice{Value: name, Detail: agent.Description, Current: name == current, Cycled: !agent.Subagent})
		}
	}
	return out
}

// modeChoices returns the modes. The last choice leaves the mode.
func modeChoices(c *config.Config, current string) []frontend.Choice {
	var out []frontend.Choice
	for _, name := range c.ModeNames() {
		out = append(out, frontend.Choice{Value: name, Detail: c.Modes[name].Description, Current: name == current, Cycled: true})
	}
	return append(out, frontend.Choice{Value: config.NoMode, Detail: "No mode", Current: current == ""})
}

// modelPatience is how long each provider may take to list its models.
const modelPatience = 10 * time.Second

// modelChoices returns the models that providers offer. The error names the providers that cannot list theirs.
func modelChoices(c *config.Config, offers []inspect.Offer, now sdk.Context) ([]frontend.Choice, error) {
	var out []frontend.Choice
	var faults []error
	for _, o := range offers {
		if o.Err != nil {
			faults = append(faults, fmt.Errorf("listing models of provider %q: %w", o.Provider, o.Err))
		}
		before := ""
		if _, configured := c.Providers[o.Provider]; configured {
			before = o.Provider + "/"
		}
		for _, m := range o.Models {
			out = append(out, frontend.Choice{
				Value: before + m.Name, Title: m.Name, Detail: modelDetail(o.Provider, m),
				Current: o.Provider == now.Provider && m.Name == now.ModelInfo.Name,
			})
		}
	}
	return out, errors.Join(faults...)
}

func modelDetail(provider string, m llm.Model) string {
	if m.ContextLength == 0 {
		return provider
	}
	return fmt.Sprintf("%s, %d tokens of context", provider, m.ContextLength)
}

// sessionChoices returns the saved sessions of the project, the one that was used last first.
func sessionChoices(in state.Paths, current string) ([]frontend.Choice, error) {
	list, err := session.List(in.Sessions())
	if err != nil {
		return nil, err
	}
	short, err := session.ShortIDs(in.AllSessions()...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b session.Summary) int { return b.UsedAt.Compare(a.UsedAt) })
	var out []frontend.Choice
	for _, found := range list {
		if found.Err != "" {
			continue // such a session cannot be resumed; "aura sessions list" shows the error
		}
		detail := []string{found.UsedAt.Local().Format("2006-01-02 15:04"), fmt.Sprintf("%d messages", found.Messages)}
		if found.Agent != "" {
			detail = append(detail, "agent "+found.Agent)
		}
		out = append(out, frontend.Choice{
			Value: cmp.Or(short[found.ID], found.ID), Title: found.Title, Detail: strings.Join(detail, ", "), Current: found.ID == current,
		})
	}
	return out, nil
}
