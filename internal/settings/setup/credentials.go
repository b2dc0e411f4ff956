package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/sdk"
)

// credentialed is a provider whose errors about credentials say where its token comes from.
type credentialed struct {
	llm.Provider
	source string
}

// tokenSource returns where the token of a provider comes from, or how to give it one.
func tokenSource(p config.Provider) string {
	switch {
	case len(p.TokenFrom) == 1:
		return "it comes from the variable " + p.TokenFrom[0]
	case len(p.TokenFrom) > 1:
		return "it comes from the variables " + strings.Join(p.TokenFrom, " and ")
	case p.Token != "" && p.Source.File != "":
		return "it is written in " + p.Source.File
	case p.Token != "":
		return "" // the user has just pasted it
	}
	variable := "NAME"
	if i := slices.IndexFunc(Services(), func(s Service) bool { return s.Type == p.Type }); i >= 0 {
		variable = Services()[i].Variable
	}
	if p.Source.File == "" {
		return "set the variable " + variable
	}
	return fmt.Sprintf("add token: ${%s} to provider %s in %s, and set that variable", variable, p.Name, p.Source.File)
}

func (c credentialed) Model(ctx context.Context, name string) (llm.Model, error) {
	m, err := c.Provider.Model(ctx, name)
	return m, c.explain(err)
}

func (c credentialed) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	r, err := c.Provider.Chat(ctx, req, onDelta)
	return r, c.explain(err)
}

// explain adds the source of the token to an error about credentials.
func (c credentialed) explain(err error) error {
	refusal, ok := errors.AsType[*llm.Error](err)
	if !ok || refusal.Type != sdk.ErrorTypeAuth || c.source == "" || strings.HasSuffix(refusal.Message, c.source) {
		return err
	}
	refusal.Message += "; " + c.source
	return err
}
