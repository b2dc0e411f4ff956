package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

const policyExplainHelp = `Say whether the policy of this machine permits an action, by which rule, and what to
do if it does not. The exit code is 0 if it permits the action and 1 if it refuses it.
Settings, trust and the tool policy can refuse what the policy of the machine permits.

The actions, with what may be left out in brackets:

  %s

plugin, provider and mcp also take the name of a plugin, a provider or a server of the
configuration alone, and a single word that is no action is the name of a plugin. The
words before = are variables that a server is given. The port of a host is 443 unless
you name another one. FILE is a path in the working directory.`

func newPolicyExplain(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain ACTION...",
		Short: "Say whether the policy permits an action, and why not",
		Long:  fmt.Sprintf(policyExplainHelp, strings.Join(machinepolicy.Actions(), "\n  ")),
		Example: `  aura policy explain plugins add https://github.com/acme/guard
  aura policy explain model gpt-5
  aura policy explain host example.com:80 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s needs ACTION", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return root.explainPolicy(s, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	cmd.Flags().SetInterspersed(true)
	return cmd
}

func (o *rootOptions) explainPolicy(s streams, args []string, asJSON bool) error {
	p, err := machinepolicy.Read()
	if err != nil {
		return err
	}
	words, secrets, err := o.configured(s, p, args)
	if err != nil {
		return err
	}
	answer, err := p.Explain(words)
	answer.Action = secrets.String(answer.Action)
	for i := range answer.Refusals {
		answer.Refusals[i].What = secrets.String(answer.Refusals[i].What)
	}
	if errors.Is(err, machinepolicy.ErrAction) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(s.out, answer)
	} else {
		writeExplanation(s.out, answer)
	}
	if err == nil && !answer.Permitted {
		return errShown
	}
	return err
}

func writeExplanation(w io.Writer, e machinepolicy.Explanation) {
	if e.Permitted {
		fmt.Fprintf(w, "permitted: %s\n", clean(e.Action))
		if len(e.Rules) == 0 {
			fmt.Fprintln(w, "  no rule of the policy of this machine is about it")
		}
		for _, r := range e.Rules {
			fmt.Fprintf(w, "  rule: %s\n", oneLine(r.String(), maxShown))
		}
		return
	}
	for _, r := range e.Refusals {
		fmt.Fprintf(w, "refused: %s\n  rule: %s\n  next: %s\n", oneLine(r.What, maxShown), oneLine(r.Rule.String(), maxShown), oneLine(r.Remedy, maxShown))
	}
}

// configured returns the words of an action in which the name of something in the configuration is replaced by what it is, and the secrets that
// they can have then. The configuration is read without the policy, which may have removed it.
func (o *rootOptions) configured(s streams, p *machinepolicy.Policy, words []string) ([]string, *redact.Redactor, error) {
	if _, err := p.Explain(words); len(words) == 1 && errors.Is(err, machinepolicy.ErrAction) && !isAction(words[0]) {
		known, secrets, err := o.lookup(s, "plugin", words[0])
		if known == nil {
			known = words // Explain lists the actions
		}
		return known, secrets, err
	}
	if len(words) != 2 || !slices.Contains([]string{"plugin", "provider", "mcp"}, words[0]) {
		return words, redact.New(), nil
	}
	known, secrets, err := o.lookup(s, words[0], words[1])
	switch {
	case err != nil || known != nil:
		return known, secrets, err
	case words[0] == "mcp":
		return nil, nil, fmt.Errorf("explaining %q: the configuration has no MCP server %q; add its command line or its address", strings.Join(words, " "), words[1])
	default:
		return words, secrets, nil
	}
}

// isAction reports whether a word begins an action.
func isAction(word string) bool {
	return slices.ContainsFunc(machinepolicy.Actions(), func(form string) bool { return form == word || strings.HasPrefix(form, word+" ") })
}

// lookup returns the words for something that the configuration names, or nil.
func (o *rootOptions) lookup(s streams, kind, name string) ([]string, *redact.Redactor, error) {
	options := o.configOptions(s)
	options.Machine, options.LeaveOut = &machinepolicy.Policy{}, true
	l, err := o.quietGate().List(options)
	if err != nil {
		return nil, nil, err
	}
	words, err := configuredAs(l, kind, name)
	return words, setup.Secrets(l.Config, nil), err
}

func configuredAs(l gate.Listing, kind, name string) ([]string, error) {
	switch kind {
	case "provider":
		if c, ok := l.Providers[name]; ok {
			return slices.DeleteFunc([]string{kind, string(c.Type), setup.Address(c)}, func(word string) bool { return word == "" }), nil
		}
	case "mcp":
		c, ok := l.MCPServers[name]
		if !ok {
			return nil, nil
		}
		words := []string{kind, name}
		if c.URL != "" {
			return append(words, c.URL), nil
		}
		for _, variable := range slices.Sorted(maps.Keys(c.Env)) {
			words = append(words, variable+"=")
		}
		return append(words, c.CommandLine()), nil
	default:
		entries, err := l.Entries()
		i := slices.IndexFunc(entries, func(e setup.Entry) bool { return e.Name == name })
		if err != nil || i < 0 {
			return nil, err
		}
		return slices.DeleteFunc([]string{kind, name, entries[i].From}, func(word string) bool { return word == "" }), nil
	}
	return nil, nil
}
