package cli

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Completion never reports errors, because a user who presses Tab has not asked for them.

// completeFlags registers the completion of the values of the root's flags.
func (o *rootOptions) completeFlags(cmd *cobra.Command, s streams) {
	for name, complete := range map[string]cobra.CompletionFunc{
		"agent":    completeNames(s, o, agentNames),
		"mode":     completeNames(s, o, modeNames),
		"provider": completeNames(s, o, providerNames),
		"model":    completeModels(s, o),
		"system":   completeNames(s, o, promptNames),
		"resume":   completeNames(s, o, sessionNames),
		"think":    cobra.FixedCompletions([]cobra.Completion{"off", "on", "low", "medium", "high"}, cobra.ShellCompDirectiveNoFileComp),
		"config":   directories,
		"home":     directories,
		"workdir":  directories,

		"include-tools": listOf(completeTools(s, o)),
		"exclude-tools": listOf(completeTools(s, o)),
	} {
		if cmd.PersistentFlags().Lookup(name) != nil {
			// The only possible error is a flag that does not exist.
			_ = cmd.RegisterFlagCompletionFunc(name, complete)
		}
	}
}

func directories(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// listOf completes the last of several values that are separated by commas.
func listOf(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndex(typed, ",")+1]
		found, directive := complete(cmd, args, strings.TrimPrefix(typed, before))
		for i := range found {
			found[i] = before + found[i]
		}
		return found, directive
	}
}

// completeNames completes names from the configuration. If the configuration cannot be read, there are none.
func completeNames(s streams, root *rootOptions, list func(*config.Config) []cobra.Completion) cobra.CompletionFunc {
	return completeListing(s, root, func(l gate.Listing) []cobra.Completion { return list(l.Text) })
}

func completeListing(s streams, root *rootOptions, list func(gate.Listing) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		l, err := quietConfig(cmd, s, root)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found := slices.DeleteFunc(list(l), func(name string) bool { return !strings.HasPrefix(name, typed) })
		return candidates(found), cobra.ShellCompDirectiveNoFileComp
	}
}

// first completes only the first argument.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

// quietConfig loads the configuration for an incomplete command line. The configuration is only shown, so a project need not be
// trusted.
func quietConfig(cmd *cobra.Command, s streams, root *rootOptions) (gate.Listing, error) {
	if err := fromEnvironment(cmd, s.environ); err != nil {
		return gate.Listing{}, err
	}
	return root.quietGate().List(root.configOptions(s))
}

// described returns the names of a map with their descriptions.
func described[T any](all map[string]T, about func(T) string) []cobra.Completion {
	var out []cobra.Completion
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, cobra.CompletionWithDesc(name, oneLine(about(all[name]), 60)))
	}
	return out
}

func agentNames(c *config.Config) []cobra.Completion {
	return described(c.Agents, func(a config.Agent) string { return a.Description })
}

func modeNames(c *config.Config) []cobra.Completion {
	return described(c.Modes, func(m config.Mode) string { return m.Description })
}

func providerNames(c *config.Config) []cobra.Completion {
	return described(c.Providers, func(p config.Provider) string { return string(p.Type) })
}

func promptNames(c *config.Config) []cobra.Completion {
	return described(c.Prompts, func(config.Prompt) string { return "" })
}

func taskNames(c *config.Config) []cobra.Completion {
	enabled := maps.Clone(c.Tasks)
	maps.DeleteFunc(enabled, func(_ string, t config.Task) bool { return t.Disabled })
	return described(enabled, func(t config.Task) string { return t.Description })
}

// completionTime is how long completion waits for a provider.
const completionTime = time.Second

// completeModels completes the names of models: those that agents and providers name, and those that providers offer. Without
// --provider, the models of all providers are completed.
func completeModels(s streams, root *rootOptions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return completeListing(s, root, func(l gate.Listing) []cobra.Completion {
			models := map[string]string{}
			for _, m := range inspect.ModelNames(cmd.Context(), l, completionTime) {
				models[m.Name] = m.Provider
			}
			for name, p := range l.Text.Providers {
				for _, model := range p.Models.Include {
					if !strings.ContainsAny(model, `*?[\`) {
						models[model] = name
					}
				}
			}
			for _, a := range l.Text.Agents {
				if a.Model.Name != "" {
					models[a.Model.Name] = a.Model.Provider
				}
			}
			maps.DeleteFunc(models, func(_, provider string) bool {
				return root.provider != "" && provider != "" && provider != root.provider
			})
			return described(models, func(provider string) string { return provider })
		})(cmd, args, typed)
	}
}

// installedNames returns the plugins that are not shadowed.
func installedNames(l gate.Listing) []cobra.Completion {
	entries, err := l.Entries()
	if err != nil {
		return nil
	}
	var names []cobra.Completion
	for _, e := range entries {
		if e.Status != setup.StatusShadowed {
			names = append(names, cobra.CompletionWithDesc(e.Name, oneLine(e.Manifest.Description, 60)))
		}
	}
	return names
}

// titled is how many sessions are completed with their names and titles, newest first. The session must be read to find its name
// and title.
const titled = 10

// sessionNames returns the ids of all sessions, newest first, and the names that users gave them.
func sessionNames(c *config.Config) []cobra.Completion {
	var paths []string
	for _, dir := range c.State.AllSessions() {
		found, err := filepath.Glob(filepath.Join(dir, "*"+session.Ext))
		if err == nil {
			paths = append(paths, found...)
		}
	}
	// Ids sort by time.
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(filepath.Base(b), filepath.Base(a)) })
	secrets := setup.Secrets(c, nil)
	var out []cobra.Completion
	for i, path := range paths {
		id := strings.TrimSuffix(filepath.Base(path), session.Ext)
		var sum session.Summary
		if info, err := os.Stat(path); i < titled && err == nil && info.Size() <= largestTitled {
			sum = session.Summarize(path)
		}
		title := oneLine(secrets.String(sum.Title), 60)
		out = append(out, cobra.CompletionWithDesc(id, title))
		if name := secrets.String(sum.Name); name != "" {
			out = append(out, cobra.CompletionWithDesc(name, "session "+id))
		}
	}
	return out
}

// largestTitled is the size of the largest session that is read for its title, in bytes.
const largestTitled = 1 << 20

// completePrompts completes slash commands. Other prompts are not completed.
func completePrompts(s streams, root *rootOptions) cobra.CompletionFunc {
	commands := completeNames(s, root, func(c *config.Config) []cobra.Completion {
		var out []cobra.Completion
		for _, cmd := range app.CommandNames(c) {
			out = append(out, cobra.CompletionWithDesc("/"+cmd.Name, oneLine(cmd.Description, 60)))
		}
		return out
	})
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !strings.HasPrefix(typed, "/") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return commands(cmd, args, typed)
	}
}

// completeShow completes a kind, then a name of that kind.
func completeShow(s streams, root *rootOptions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return kindNames(), cobra.ShellCompDirectiveNoFileComp
		case 1:
			return completeNames(s, root, func(c *config.Config) []cobra.Completion { return namesOfKind(c, args[0]) })(cmd, args, typed)
		default:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func namesOfKind(c *config.Config, name string) []cobra.Completion {
	kind, ok := kindOf(name)
	if !ok {
		return nil
	}
	list, err := kind.list(c, viewer{hide: newMask(c)})
	if err != nil {
		return nil
	}
	var out []cobra.Completion
	for _, e := range list {
		out = append(out, cobra.CompletionWithDesc(e.Name, oneLine(e.Description, 60)))
	}
	return out
}
