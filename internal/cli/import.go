package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/agent/agentimport"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
)

// agentImport holds the flags of import.
type agentImport struct {
	global      bool
	force       bool
	dryRun      bool
	keepSecrets bool
	json        bool
}

const agentImportHelp = `Import the configuration of another agent: MCP servers, shell hooks, commands,
agents, instructions, and permission rules as a policy.

aura reads your own settings, which become files in your home, and those of the
project, which become files in the project's .aura. --global imports only your own.
--dry-run shows what would become what and writes nothing.

aura never replaces a file without --force, and never AGENTS.md. A part that aura does
not have is left out, and aura prints the reason. A secret in a server is not written:
aura writes ${NAME} and prints which variable to set.

What comes from the project takes effect after you agree to it at the next start, as
any change of the project's configuration.`

const agentImportExamples = `  aura import claude --dry-run
  aura import codex --global
  aura import opencode --json`

func newImport(s streams, root *rootOptions) *cobra.Command {
	o := &agentImport{}
	var known []string
	for _, a := range agentimport.Agents() {
		known = append(known, a.Name)
	}
	cmd := &cobra.Command{
		Use:       "import " + strings.Join(known, "|"),
		Short:     "Import the configuration of another agent",
		Long:      agentImportHelp,
		Example:   agentImportExamples,
		Args:      exactArgs("AGENT"),
		ValidArgs: known,
		RunE: func(_ *cobra.Command, args []string) error {
			agent, err := agentimport.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			return o.run(s, root, agent)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.global, "global", false, "import only your own settings, not the project's")
	f.BoolVar(&o.force, "force", false, "replace files of the same name, but not AGENTS.md")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what would be done and write nothing")
	f.BoolVar(&o.keepSecrets, "keep-secrets", false, "write secrets as they are instead of ${NAME}")
	f.BoolVar(&o.json, "json", false, "write a JSON object")
	return cmd
}

// agentReport is the result of import as JSON.
type agentReport struct {
	Agent  string        `json:"agent"`
	DryRun bool          `json:"dry_run"`
	Scopes []importScope `json:"scopes"`
	// Unset lists environment variables to set before aura starts.
	Unset []string `json:"unset,omitempty"`
}

// importScope is what was imported into one home.
type importScope struct {
	// From is the directory that was read, Dir the home.
	From  string         `json:"from"`
	Dir   string         `json:"dir"`
	Items []importedItem `json:"items"`

	user    bool
	outside string
	files   []plannedFile
}

// importedItem is the result for one part of a configuration.
type importedItem struct {
	agentimport.Item

	// Status is written, replaced, kept or skipped.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

func (o *agentImport) run(s streams, root *rootOptions, agent agentimport.Agent) error {
	doing := "importing from " + agent.Title
	options := root.configOptions(s)
	options.Text = true
	listing, err := root.gateFor(s).List(options)
	if err != nil {
		return err
	}
	report := agentReport{Agent: agent.Name, DryRun: o.dryRun, Scopes: o.scopes(listing, options.UserHome)}
	found := false
	for i := range report.Scopes {
		scope := &report.Scopes[i]
		if err := o.plan(listing, agent, scope); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		found = found || len(scope.Items) > 0
	}
	if !found {
		return fmt.Errorf("%s: there is no configuration of it: looked in %s", doing, o.places(report.Scopes))
	}
	for i := range report.Scopes {
		report.Unset = append(report.Unset, unsetOf(report.Scopes[i], listing.Text)...)
		if o.dryRun {
			continue
		}
		if err := report.Scopes[i].write(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	slices.Sort(report.Unset)
	report.Unset = slices.Compact(report.Unset)
	if o.json {
		return writeJSON(s.out, report)
	}
	report.tell(s.out)
	return nil
}

// scopes returns the directories to read, that of the user first.
func (o *agentImport) scopes(l gate.Listing, userHome string) []importScope {
	out := []importScope{}
	configured := l.Text
	if configured.User != "" && userHome != "" {
		out = append(out, importScope{From: userHome, Dir: configured.User, outside: configured.User, user: true, Items: []importedItem{}})
	}
	project := filepath.Dir(configured.Project)
	if !o.global && project != userHome {
		out = append(out, importScope{From: project, Dir: configured.Project, outside: project, Items: []importedItem{}})
	}
	return out
}

func (o *agentImport) places(scopes []importScope) string {
	var out []string
	for _, s := range scopes {
		out = append(out, s.From)
	}
	return strings.Join(out, " and ")
}

// unsetOf returns the variables to set before what was written can be used.
func unsetOf(scope importScope, configured *config.Config) []string {
	var out []string
	for _, it := range scope.Items {
		for _, name := range it.Variables {
			if _, set := config.Lookup(configured.Environ, name); !set && it.written() {
				out = append(out, name)
			}
		}
	}
	return out
}

func (i importedItem) written() bool { return i.Status == statusWritten || i.Status == statusReplaced }

// tell prints the result for people.
func (r agentReport) tell(w io.Writer) {
	project := false
	for _, scope := range r.Scopes {
		if len(scope.Items) == 0 {
			continue
		}
		rows := [][]string{}
		for _, it := range scope.Items {
			status, what := it.Status, it.Reason
			if it.written() {
				project = project || !scope.user
				what = it.File + " from " + it.From
				if r.DryRun {
					status = "would be " + status
				}
			}
			rows = append(rows, []string{status, string(it.Kind), it.Name, oneLine(what, resultLimit)})
			for _, note := range it.Notes {
				rows = append(rows, []string{"", "", "", oneLine(note, resultLimit)})
			}
		}
		fmt.Fprintln(w, clean(scope.Dir)+":")
		indented(w, "  ", rows)
	}
	if len(r.Unset) > 0 {
		fmt.Fprintf(w, "aura does not start before these variables are set, in the environment or in secrets.env: %s\n", clean(strings.Join(r.Unset, ", ")))
	}
	switch {
	case r.DryRun:
		fmt.Fprintln(w, "nothing was written (--dry-run)")
	case project:
		fmt.Fprintln(w, "what is the project's takes effect after you agree: 'aura trust' shows it")
	}
}
