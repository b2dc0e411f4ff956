package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/inspect"
)

// newModelsNoun returns 'aura models' with the subcommands that every noun has.
func newModelsNoun(s streams, root *rootOptions) *cobra.Command {
	cmd, list := newModels(s, root), newModels(s, root)
	list.Use = "list [PROVIDER]"
	list.Example = `  aura models list
  aura models list anthropic --json`
	cmd.AddCommand(list, newModelsShow(s, root))
	return cmd
}

// modelDetails is a model of a provider as JSON.
type modelDetails struct {
	Provider string `json:"provider"`
	modelInfo
}

func newModelsShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "show MODEL",
		Short: "Show what is known about a model",
		Long: `Show the context length and the capabilities of a model, as its provider reports
them. Write PROVIDER/MODEL, or use --provider, if several providers offer the model;
without that, all of them are shown.`,
		Example: `  aura models show big-model
  aura models show local/big-model --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if timeout <= 0 {
				return usageError{fmt.Errorf("--timeout %s is not positive", timeout)}
			}
			return exactArgs("MODEL")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := root.list(s)
			if err != nil {
				return err
			}
			o := inspect.ModelOptions{Provider: root.provider, Timeout: timeout, Notify: notices(s.err, newMask(l.Config))}
			offers, err := inspect.Models(cmd.Context(), l, o)
			if err != nil {
				return because(cmd.Context(), err)
			}
			found, err := findModels(s, offers, args[0], newMask(l.Config))
			if err != nil {
				return because(cmd.Context(), err)
			}
			if asJSON {
				return writeJSON(s.out, found)
			}
			for i, m := range found {
				if i > 0 {
					fmt.Fprintln(s.out)
				}
				wide(s.out, modelRows(m))
			}
			return nil
		},
		ValidArgsFunction: first(completeModels(s, root)),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON list, one object per provider that offers the model")
	cmd.Flags().DurationVar(&timeout, "timeout", modelsTimeout, "how long each provider may take")
	return cmd
}

// findModels returns the models with a name, which may begin with the name of the provider. It reports the providers that failed.
func findModels(s streams, offers []inspect.Offer, name string, hide mask) ([]modelDetails, error) {
	var found []modelDetails
	var known []string
	for _, o := range offers {
		if o.Err != nil {
			fmt.Fprintf(s.err, "! provider %s: %s\n", clean(o.Provider), clean(hide.text(o.Err.Error())))
		}
		for _, m := range o.Models {
			known = append(known, m.Name)
			if m.Name == name || o.Provider+"/"+m.Name == name {
				found = append(found, modelDetails{Provider: o.Provider, modelInfo: describeModel(m)})
			}
		}
	}
	if len(found) == 0 {
		slices.Sort(known)
		return nil, fmt.Errorf("looking for model %q: no provider offers it; known models: %s", name, dash(oneLine(strings.Join(slices.Compact(known), ", "), maxShown)))
	}
	return found, nil
}

func modelRows(m modelDetails) [][]string {
	return [][]string{
		{"model", m.Name},
		{"provider", m.Provider},
		{"family", dash(m.Family)},
		{"parameters", count(m.ParameterCount)},
		{"context", count(int64(m.ContextLength))},
		{"capabilities", dash(strings.Join(m.Capabilities, ", "))},
	}
}
