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

	"github.com/idelchi/aura/internal/frontend"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/session"
	"github.com/idelchi/aura/internal/setup"
)

// Choices returns the values that a slash command takes. It may be called from any goroutine.
func (s *Session) Choices(ctx context.Context, command string) ([]frontend.Choice, error) {
	now := s.shown.Load().setup
	switch command {
	case "agent":
		return s.agentChoices(now), nil
	case "mode":
		return s.modeChoices(now), nil
	case "model":
		return s.modelChoices(ctx, now)
	case "resume":
		return s.sessionChoices(now)
	default:
		return nil, nil
	}
}

func (s *Session) agentChoices(now *setup.Setup) []frontend.Choice {
	current := s.talk.Persona().Agent
	var out []frontend.Choice
	for _, name := range slices.Sorted(maps.Keys(now.Config.Agents)) {
		if agent := now.Config.Agents[name]; !agent.Hide {
			out = append(out, frontend.Choice{Value: name, Detail: agent.Description, Current: name == current})
		}
	}
	return out
}

// modeChoices returns the modes. The last choice leaves the mode.
func (s *Session) modeChoices(now *setup.Setup) []frontend.Choice {
	current := s.talk.Persona().Mode
	var out []frontend.Choice
	for _, name := range slices.Sorted(maps.Keys(now.Config.Modes)) {
		if m := now.Config.Modes[name]; !m.Hide {
			out = append(out, frontend.Choice{Value: name, Detail: m.Description, Current: name == current})
		}
	}
	if len(out) > 0 {
		out = append(out, frontend.Choice{Value: "none", Detail: "No mode", Current: current == ""})
	}
	return out
}

// modelPatience is how long each provider may take to list its models.
const modelPatience = 10 * time.Second

// modelChoices returns the models of all configured providers. The error names the providers that cannot list theirs.
func (s *Session) modelChoices(ctx context.Context, now *setup.Setup) ([]frontend.Choice, error) {
	offers, err := Models(ctx, Listing{Config: now.Config, Text: now.Config}, ModelOptions{Timeout: modelPatience, Notify: s.notices.once})
	if err != nil {
		return nil, s.secrets.Error(err)
	}
	state := s.talk.Context()
	var out []frontend.Choice
	var faults []error
	for _, o := range offers {
		if o.Err != nil {
			faults = append(faults, fmt.Errorf("listing models of provider %q: %w", o.Provider, s.secrets.Error(o.Err)))
		}
		before := ""
		if _, configured := now.Config.Providers[o.Provider]; configured {
			before = o.Provider + "/"
		}
		for _, m := range o.Models {
			out = append(out, frontend.Choice{
				Value: before + m.Name, Title: m.Name, Detail: modelDetail(o.Provider, m),
				Current: o.Provider == state.Provider && m.Name == state.ModelInfo.Name,
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
func (s *Session) sessionChoices(now *setup.Setup) ([]frontend.Choice, error) {
	list, err := session.List(now.Config.State.Sessions())
	if err != nil {
		return nil, err
	}
	short, err := session.ShortIDs(now.Config.State.AllSessions()...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b session.Summary) int { return b.UsedAt.Compare(a.UsedAt) })
	current := s.around.Load().SessionID
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
