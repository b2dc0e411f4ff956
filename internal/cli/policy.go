package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

const policyHelp = `Show the policy of this machine: what its administrator permits aura to do, whoever
runs it. Files of a home or a project, flags and variables cannot widen it.

The policy is one file and a directory of further files, which belong to root and are
writable by nobody else:

  Linux    /etc/aura/policy.yaml and /etc/aura/policy.d/*.yaml
  macOS    policy.yaml and policy.d in /Library/Application Support/aura
  Windows  policy.yaml and policy.d in the folder aura of the folder of programs

If a file cannot be read or understood, aura runs nothing, and the exit code is 2. What
a model may call is decided by the tool policy, which /policy shows. 'aura policy show'
is the same as 'aura policy'. It also shows what each rule changed for the configuration
and the plugins of the working directory.`

func newPolicy(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show what the administrator of this machine permits",
		Long:  policyHelp,
		Example: `  aura policy
  aura policy show --json
  aura policy explain model gpt-5
  aura policy check ./policy.yaml`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.showPolicy(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	cmd.AddCommand(newPolicyShow(s, root), newPolicyCheck(s), newPolicyExplain(s, root))
	return cmd
}

func newPolicyShow(s streams, root *rootOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show each rule with its file and line, and what it changed here",
		Long:  policyHelp,
		Example: `  aura policy show
  aura policy show --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return root.showPolicy(s, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

// policyReport is what policy show and policy check write with --json.
type policyReport struct {
	// Hash identifies the policy. It is empty if there is none.
	Hash  string       `json:"hash"`
	Files []string     `json:"files"`
	Rules []ruleReport `json:"rules"`
}

// ruleReport is a rule with what it changed here.
type ruleReport struct {
	machinepolicy.Rule

	// Changed is nil if nobody asked.
	Changed []string `json:"changed,omitzero"`
}

func reportPolicy(p *machinepolicy.Policy) policyReport {
	out := policyReport{Hash: p.Hash(), Files: append([]string{}, p.Files()...), Rules: []ruleReport{}}
	for _, r := range p.Rules() {
		out.Rules = append(out.Rules, ruleReport{Rule: r})
	}
	return out
}

// effects returns what the rules of the policy changed here, for the configuration and the plugins of the working directory.
func (o *rootOptions) effects(s streams) ([]setup.Effect, error) {
	l, err := o.list(s)
	if err != nil {
		return nil, err
	}
	entries, err := l.Entries()
	out := setup.Effects(l.Config, entries)
	for i, secrets := 0, setup.Secrets(l.Config, nil); i < len(out); i++ {
		out[i].What = secrets.String(out[i].What)
	}
	return out, err
}

func (o *rootOptions) showPolicy(s streams, asJSON bool) error {
	p, err := machinepolicy.Read()
	if err != nil {
		return err
	}
	report := reportPolicy(p)
	if !p.Empty() {
		effects, err := o.effects(s)
		if err != nil {
			fmt.Fprintf(s.err, "! what the rules changed here is not known: %s\n", clean(err.Error()))
		}
		for i := range report.Rules {
			r := &report.Rules[i]
			r.Changed = []string{}
			for _, e := range effects {
				if e.Rule.Key == r.Key && e.Rule.File == r.File && e.Rule.Line == r.Line {
					r.Changed = append(r.Changed, e.What)
				}
			}
		}
	}
	if asJSON {
		return writeJSON(s.out, report)
	}
	if p.Empty() {
		fmt.Fprintf(s.out, "no policy: there is no %s and no %s in %s\n", machinepolicy.FileName, machinepolicy.PartsName, clean(machinepolicy.Dir()))
		return nil
	}
	table(s.out, policyRows(report.Rules))
	writeEffects(s.out, report.Rules)
	return nil
}

func writeEffects(w io.Writer, rules []ruleReport) {
	head := "\nWhat the rules changed here:\n"
	for _, r := range rules {
		for _, what := range r.Changed {
			fmt.Fprintf(w, "%s  %s (%s:%d): %s\n", head, r.Key, clean(r.File), r.Line, oneLine(what, maxShown))
			head = ""
		}
	}
}

func policyRows(rules []ruleReport) [][]string {
	rows := [][]string{{"RULE", "VALUE", "FILE"}}
	for _, r := range rules {
		rows = append(rows, []string{r.Key, dash(oneLine(r.Text, resultLimit)), fmt.Sprintf("%s:%d", clean(r.File), r.Line)})
	}
	return rows
}

func newPolicyCheck(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Check files of a policy before they take effect",
		Long: `Read files as files of one policy, and print all faults: unknown keys, wrong values, and
conflicts between files. Without a file, the policy of this machine is checked, with who
owns its files. Nothing takes effect. The exit code is 1 if there are faults.`,
		Example: `  aura policy check ./policy.yaml
  aura policy check company.yaml team.yaml --json
  aura policy check`,
		RunE: func(_ *cobra.Command, args []string) error { return checkPolicy(s, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	return cmd
}

func checkPolicy(s streams, names []string, asJSON bool) error {
	p, err := policyOf(names)
	if err != nil {
		return fmt.Errorf("checking the policy: %w", err)
	}
	if asJSON {
		return writeJSON(s.out, reportPolicy(p))
	}
	switch n := len(p.Rules()); {
	case p.Empty():
		fmt.Fprintf(s.out, "no policy in %s\n", clean(machinepolicy.Dir()))
	default:
		fmt.Fprintf(s.out, "the policy is valid (rules: %d, files: %d)\n", n, len(p.Files()))
	}
	return nil
}

// policyOf returns the policy of files, or the one of this machine if there are none.
func policyOf(names []string) (*machinepolicy.Policy, error) {
	if len(names) == 0 {
		return machinepolicy.ReadAll()
	}
	var p *machinepolicy.Policy
	for _, name := range names {
		data, err := files.Read(name, strictyaml.MaxSize)
		if err != nil {
			return nil, err
		}
		if p, err = p.With(filepath.Clean(name), data); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// needsPolicy reports whether a command does not run without a policy that can be read. Those that help to correct the policy do.
func needsPolicy(cmd *cobra.Command) bool {
	switch pathOf(cmd) {
	case "doctor", "policy check", "version", "help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd:
		return false
	}
	return cmd.Parent() == nil || pathOf(cmd.Parent()) != "completion"
}

// requirePolicy returns the policy of this machine, or an error if it cannot be used. It is empty for commands that run without it.
func requirePolicy(cmd *cobra.Command) (*machinepolicy.Policy, error) {
	if !needsPolicy(cmd) {
		return &machinepolicy.Policy{}, nil
	}
	return machinepolicy.Read()
}
