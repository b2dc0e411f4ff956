package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/scaffold"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

const (
	// keyCheckTimeout limits the request with which a key or a server is tried.
	keyCheckTimeout = 15 * time.Second
	// maxModelsShown is how many models of a service the first start lists. Others can be typed.
	maxModelsShown = 20
)

// firstStart is the conversation with a user who has no provider.
type firstStart struct {
	keyboard
	streams
	config    *config.Config
	providers *setup.Providers
}

// offer is one answer to the question where the model comes from.
type offer struct {
	title string
	// provider is what the answer leads to. Its token is empty if the user has to paste one.
	provider config.Provider
	paste    bool
}

// chooseFirst lets a user on a terminal choose a provider, if none is configured and aura does not find exactly one. The choice is saved in
// the user's home; the demonstration is chosen for this session only. Without a terminal it does nothing.
func (o *rootOptions) chooseFirst(ctx context.Context, s streams, a *app.Options) error {
	k, ok := keyboardOf(s)
	if !ok || a.Provider != "" || a.Script != "" {
		return nil
	}
	c, err := o.load(ctx, s)
	if err != nil || len(c.Providers) > 0 {
		return err
	}
	f := firstStart{keyboard: k, streams: s, config: c, providers: setup.NewProviders(c, nil, o.gateFor(s).Tell)}
	found, err := f.providers.FindProviders(ctx)
	if err != nil || len(found) == 1 {
		return err
	}
	a.Provider, err = f.choose(ctx, f.offers(ctx, found))
	return because(ctx, err)
}

// offers returns what the user can choose: what was found, other servers of this machine, and services that need a key.
func (f firstStart) offers(ctx context.Context, found []setup.Found) []offer {
	var out []offer
	for _, p := range found {
		out = append(out, offer{title: fmt.Sprintf("%s at %s, because %s", p.Type, setup.Address(p.Provider), p.Because), provider: p.Provider})
	}
	llama := f.config.Unconfigured(config.ProviderLlamaCPP, "")
	if models, err := f.models(ctx, llama); err == nil && len(models) > 0 {
		out = append(out, offer{title: "llamacpp at " + setup.Address(llama) + ", because it answers", provider: llama})
	}
	if f.config.User == "" {
		return out
	}
	for _, s := range setup.Services() {
		out = append(out, offer{title: s.Title + ", with a key that you paste", provider: f.config.Unconfigured(s.Type, ""), paste: true})
	}
	return out
}

// choose asks until there is a provider, and returns its name. It returns an error if the user quits.
func (f firstStart) choose(ctx context.Context, offers []offer) (string, error) {
	for {
		var text strings.Builder
		text.WriteString("aura needs a model. Choose where it comes from:\n")
		for i, o := range offers {
			fmt.Fprintf(&text, "  %d  %s\n", i+1, clean(o.title))
		}
		text.WriteString("  d  nowhere: a demonstration, in which a script inside aura plays the model\n  q  quit\nChoose [q]: ")
		answer, err := f.line(ctx, text.String())
		if err != nil {
			return "", err
		}
		n, _ := strconv.Atoi(answer)
		switch {
		case answer == "" || strings.EqualFold(answer, "q"):
			return "", &setup.NoProviderError{}
		case strings.EqualFold(answer, "d"):
			return setup.DemonstrationName, nil
		case n < 1 || n > len(offers):
			fmt.Fprintln(f.err, "Type one of the numbers or letters.")
			continue
		}
		name, err := f.setUp(ctx, offers[n-1])
		if err == nil || ctx.Err() != nil {
			return name, err
		}
		fmt.Fprintf(f.err, "! %s\n\n", clean(err.Error()))
	}
}

// setUp tries an offer with one request, asks for the model and saves the provider. It returns the name of the provider.
func (f firstStart) setUp(ctx context.Context, o offer) (string, error) {
	p := o.provider
	if o.paste {
		token, err := f.askSecret(ctx, f.streams, "Key (not shown): ")
		if err != nil {
			return "", err
		}
		if err := checkKey(token); err != nil {
			return "", err
		}
		p.Token = token
	}
	models, err := f.models(ctx, p)
	if err != nil {
		return "", fmt.Errorf("asking %s for its models: %w", setup.Address(p), err)
	}
	model, err := f.model(ctx, p, models)
	if err != nil {
		return "", err
	}
	name := string(p.Type)
	saved := scaffold.Provider{Type: name, Token: p.Token, Model: model}
	if len(p.TokenFrom) > 0 {
		saved.Token = "${" + p.TokenFrom[0] + "}"
	}
	if f.config.User == "" {
		return "", errors.New("saving the choice: you have no home for settings; name one with --home, or use --provider in a project with a configuration")
	}
	path, err := scaffold.WriteProvider(f.config.User, name, saved)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(f.err, "Saved in %s. Things to type:\n  What does this project do?\n  @README.md Summarise this file.\n  /help\n", clean(path))
	return name, nil
}

// checkKey refuses a pasted text that is not a key.
func checkKey(token string) error {
	switch {
	case token == "":
		return errors.New("no key was pasted")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '$' }):
		return errors.New("the pasted text is not a key: a key has neither blanks nor signs such as $")
	default:
		return nil
	}
}

// models asks a provider for its models, with a time limit.
func (f firstStart) models(ctx context.Context, p config.Provider) ([]llm.Model, error) {
	p.Retry.MaxAttempts = 1
	made, err := f.providers.Make(p)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, keyCheckTimeout)
	defer cancel()
	models, err := setup.ListModels(limited, made)
	if refused, ok := errors.AsType[*llm.Error](err); ok && refused.Type == sdk.ErrorTypeAuth {
		return nil, fmt.Errorf("the service refuses the key: %w", err)
	}
	return models, err
}

// model asks which model to use. An empty name leaves the choice to the backend.
func (f firstStart) model(ctx context.Context, p config.Provider, models []llm.Model) (string, error) {
	if len(models) == 0 {
		return "", nil
	}
	usual := models[0].Name
	if made, err := f.providers.Make(p); err == nil {
		if m, err := made.Model(ctx, ""); err == nil { // a backend without a default has none to suggest
			usual = cmp.Or(m.Name, usual)
		}
	}
	var text strings.Builder
	text.WriteString("Models:\n")
	for i, m := range models[:min(len(models), maxModelsShown)] {
		fmt.Fprintf(&text, "  %d  %s\n", i+1, clean(m.Name))
	}
	if more := len(models) - maxModelsShown; more > 0 {
		fmt.Fprintf(&text, "  and %d more, which you can type\n", more)
	}
	fmt.Fprintf(&text, "Model [%s]: ", clean(usual))
	question := text.String()
	for {
		answer, err := f.line(ctx, question)
		if err != nil || answer == "" {
			return usual, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= min(len(models), maxModelsShown) {
			return models[n-1].Name, nil
		}
		if slices.ContainsFunc(models, func(m llm.Model) bool { return m.Name == answer }) {
			return answer, nil
		}
		question = fmt.Sprintf("Type a number or the name of a model.\nModel [%s]: ", clean(usual))
	}
}

// line asks for a line.
func (f firstStart) line(ctx context.Context, question string) (string, error) {
	text, err := f.ask(ctx, func() error {
		_, err := fmt.Fprint(f.err, question)
		return err
	})
	return strings.TrimSpace(text), err
}
