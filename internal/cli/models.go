package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
)

const modelsHelp = `List the models of the providers, with their context length in tokens, their
capabilities, if known, and the URL that the provider is used at. Models that the configuration of a provider excludes
(models.include, models.exclude) are not listed. If no provider is configured, aura
asks the one that a run would use.

If a provider fails, aura prints its error and lists the others. The exit code is 1
only if all of them fail.`

const modelsExamples = `  aura models
  aura models anthropic
  aura models --json --timeout 5s`

// modelsTimeout is how long one provider may take to list its models.
const modelsTimeout = 15 * time.Second

func newModels(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:     "models [PROVIDER]",
		Short:   "List the models that the providers offer",
		Long:    modelsHelp,
		Example: modelsExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("%s takes [PROVIDER]", cmd.CommandPath())}
			}
			if timeout <= 0 {
				return usageError{fmt.Errorf("--timeout %s is not positive", timeout)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			o := inspect.ModelOptions{Provider: append(args, root.provider)[0], Timeout: timeout, Notify: notices(s.err, newMask(l.Config))}
			offers, err := inspect.Models(cmd.Context(), l, o)
			if err != nil {
				return because(cmd.Context(), err)
			}
			return because(cmd.Context(), showOffers(s, offers, newMask(l.Config), asJSON))
		},
		ValidArgsFunction: first(completeNames(s, root, providerNames)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list, one object per provider")
	cmd.Flags().DurationVar(&timeout, "timeout", modelsTimeout, "how long each provider may take")
	return cmd
}

// notices returns a function that shows notices outside a conversation.
func notices(w io.Writer, hide mask) func(text string) {
	return func(text string) { fmt.Fprintf(w, "! %s\n", clean(hide.text(text))) }
}

// offerInfo is an offer as JSON.
type offerInfo struct {
	Provider string              `json:"provider"`
	Type     config.ProviderType `json:"type"`
	// URL is the address at which the provider was asked.
	URL    string      `json:"url,omitempty"`
	Models []modelInfo `json:"models"`
	Error  string      `json:"error,omitempty"`
	// Untrusted providers were not asked, because their project is not trusted.
	Untrusted bool `json:"untrusted,omitempty"`
}

// modelInfo is a model as JSON. Unknown values are 0 or empty.
type modelInfo struct {
	Name           string   `json:"name"`
	Family         string   `json:"family,omitempty"`
	ParameterCount int64    `json:"parameter_count,omitempty"`
	ContextLength  int      `json:"context_length"`
	Capabilities   []string `json:"capabilities"`
}

// errNoModels reports that every provider failed. Each failure was already shown.
var errNoModels = errors.New("listing models: no provider answered")

func showOffers(s streams, offers []inspect.Offer, hide mask, asJSON bool) error {
	list := []offerInfo{}
	failed := 0
	for _, o := range offers {
		info := offerInfo{Provider: o.Provider, Type: o.Type, URL: hide.text(o.URL), Models: []modelInfo{}, Untrusted: o.Untrusted}
		for _, m := range o.Models {
			info.Models = append(info.Models, describeModel(m))
		}
		if o.Err != nil {
			info.Error = hide.text(o.Err.Error())
			failed++
		}
		list = append(list, info)
	}
	var err error
	if failed == len(list) && failed > 0 {
		err = errNoModels
	}
	if asJSON {
		return errors.Join(writeJSON(s.out, list), err)
	}
	writeOffers(s, list)
	return err
}

func describeModel(m llm.Model) modelInfo {
	return modelInfo{
		Name: m.Name, Family: m.Family, ParameterCount: m.ParameterCount, ContextLength: m.ContextLength,
		Capabilities: append([]string{}, m.Capabilities...),
	}
}

func writeOffers(s streams, list []offerInfo) {
	rows := [][]string{{"PROVIDER", "MODEL", "CONTEXT", "CAPABILITIES", "URL"}}
	for _, o := range list {
		for _, m := range o.Models {
			rows = append(rows, []string{o.Provider, m.Name, count(int64(m.ContextLength)), dash(strings.Join(m.Capabilities, ", ")), dash(o.URL)})
		}
	}
	if len(rows) > 1 {
		wide(s.out, rows)
	}
	for _, o := range list {
		switch {
		case o.Untrusted:
			fmt.Fprintf(s.err, "! provider %s: untrusted, so it was not asked\n", clean(o.Provider))
		case o.Error != "":
			fmt.Fprintf(s.err, "! provider %s: %s\n", clean(o.Provider), clean(o.Error))
		case len(o.Models) == 0:
			fmt.Fprintf(s.err, "! provider %s: it offers no models, or the setting models: excludes all of them\n", clean(o.Provider))
		}
	}
}
