package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/idelchi/aura/internal/app/inspect"
)

const toolsHelp = `List, inspect and run the tools that a model could be offered: aura's own, those
of plugins and, with --with-mcp, those of MCP servers.

aura runs the tool and nothing else: no model, no hook of a plugin, no shell hook
and no policy. The sandbox applies as in a session.

'aura tools NAME' is short for 'aura tools show NAME', and with arguments for run.`

const toolsExamples = `  aura tools
  aura tools list --agent reviewer
  aura tools show Read
  aura tools run Read path=main.go line_end=20
  aura tools run TodoCreate items='[{"content":"test it"}]'
  aura tools run --ro Bash '{"command":"go vet ./..."}'`

// toolsOptions holds the flags of aura tools.
type toolsOptions struct {
	root     *rootOptions
	json     bool
	raw      bool
	withMCP  bool
	restrict inspect.ToolRestriction
}

func newTools(s streams, root *rootOptions) *cobra.Command {
	o := &toolsOptions{root: root}
	cmd := &cobra.Command{
		Use:     "tools [NAME [ARGUMENT...]]",
		Short:   "List, inspect and run tools",
		Long:    toolsHelp,
		Example: toolsExamples,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return o.list(cmd.Context(), s)
			case 1:
				return o.inspect(cmd.Context(), s, args[0])
			default:
				return o.run(cmd.Context(), s, args)
			}
		},
		ValidArgsFunction: first(completeTools(s, root)),
	}
	f := cmd.PersistentFlags()
	f.BoolVar(&o.json, "json", false, "write JSON")
	f.BoolVar(&o.withMCP, "with-mcp", false, "also connect to the MCP servers")
	o.registerRun(cmd.Flags())
	cmd.AddCommand(newToolsList(s, o), newToolsInspect(s, o), newToolsRun(s, o))
	return cmd
}

// registerRun adds the flags that only a run takes. 'aura tools NAME ARGUMENT' is a run.
func (o *toolsOptions) registerRun(f *pflag.FlagSet) {
	f.BoolVar(&o.raw, "raw", false, "always parse the one argument of a run as JSON; - reads it from standard input")
	f.BoolVar(&o.restrict.ReadOnly, "ro", false, "let a run write nothing, except --rw-paths")
	f.StringSliceVar(&o.restrict.ReadOnlyPaths, "ro-paths", nil, "let a run read these paths, and not write them")
	f.StringSliceVar(&o.restrict.ReadWritePaths, "rw-paths", nil, "let a run write these paths, and no others")
}

func newToolsList(s streams, o *toolsOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tools, and why some are not offered",
		Long: `List the tools with their source, and why some are not offered to the model. The
list is for the agent and the mode of --agent and --mode, or for those that a run
would use. --include-tools and --exclude-tools work as in a run.`,
		Example: `  aura tools list
  aura tools list --agent reviewer --mode plan --json
  aura tools list --with-mcp`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.list(cmd.Context(), s) },
	}
}

func newToolsInspect(s streams, o *toolsOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Aliases: []string{"inspect"},
		Short:   "Show a tool in detail: its arguments, usage, examples and source",
		Example: `  aura tools show Edit
  aura tools show Notepad --json
  aura tools inspect mcp__files__read --with-mcp`,
		Args:              exactArgs("NAME"),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.inspect(cmd.Context(), s, args[0]) },
		ValidArgsFunction: first(completeTools(s, o.root)),
	}
}

func newToolsRun(s streams, o *toolsOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run NAME [KEY=VALUE... | JSON]",
		Short: "Run a tool and print what it returns",
		Long: `Run a tool, offered or not, and print its result. Arguments are KEY=VALUE, each
converted to the type in the tool's schema (write lists and objects as JSON), or
one JSON object. If arguments do not match the schema, aura lists all errors and
does not run the tool.

Exit codes: 0 the tool succeeded, 1 it failed, 2 there is no such tool or its
arguments are wrong.`,
		Example: `  aura tools run Read path=main.go line_end=20
  aura tools run Bash '{"command":"ls -l"}' --json
  aura tools run Edit path=a.txt old=one new=two replace_all=true
  aura tools run --raw Write - < arguments.json
  aura tools run --rw-paths build Bash command='make'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("%s takes NAME [KEY=VALUE... | JSON]", cmd.CommandPath())}
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), s, args) },
		ValidArgsFunction: first(completeTools(s, o.root)),
	}
	o.registerRun(cmd.Flags())
	return cmd
}

// open gathers the tools, or only what is needed for one of them.
func (o *toolsOptions) open(ctx context.Context, s streams, only string, listing bool) (*inspect.Toolbox, error) {
	session, err := o.root.appOptions(s)
	if err != nil {
		return nil, err
	}
	tools := session.Toolbox()
	tools.Notify, tools.Only, tools.WithMCP, tools.Listing = notices(s.err, mask{}), only, o.withMCP, listing
	box, err := inspect.OpenToolbox(ctx, tools)
	return box, because(ctx, err)
}

func (o *toolsOptions) list(ctx context.Context, s streams) (err error) {
	box, err := o.open(ctx, s, "", true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	list := box.List(ctx)
	if o.json {
		return writeJSON(s.out, list)
	}
	rows := [][]string{{"NAME", "SOURCE", "PARALLEL", "SANDBOXABLE", "OPT-IN", "OFFERED"}}
	for _, e := range list {
		offered := "yes"
		if !e.Offered {
			offered = "no: " + e.Hidden
		}
		rows = append(rows, []string{
			e.Name, strings.TrimSpace(e.Source + " " + e.Origin), yesNo(e.Parallel), yesNo(e.Sandboxable), yesNo(e.OptIn), offered,
		})
	}
	table(s.out, rows)
	return nil
}

func (o *toolsOptions) inspect(ctx context.Context, s streams, name string) (err error) {
	box, err := o.open(ctx, s, name, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	e, err := box.Inspect(ctx, name)
	if err != nil {
		return misused(err)
	}
	if o.json {
		return writeJSON(s.out, e)
	}
	return showTool(s, e)
}

func showTool(s streams, e inspect.ToolEntry) error {
	var schema bytes.Buffer
	if err := json.Indent(&schema, e.Parameters, "", "  "); err != nil {
		return fmt.Errorf("writing the schema of tool %q: %w", e.Name, err)
	}
	offered := "yes"
	if !e.Offered {
		offered = "no: " + e.Hidden
	}
	for _, row := range [][2]string{
		{"name", e.Name},
		{"description", e.Description},
		{"source", strings.TrimSpace(e.Source + " " + e.Origin)},
		{"from", e.Dir},
		{"changed by", e.Definition},
		{"offered", offered},
		{"condition", e.Condition},
		{"parallel", yesNo(e.Parallel)},
		{"sandboxable", yesNo(e.Sandboxable)},
		{"opt-in", yesNo(e.OptIn)},
		{"override", yesNo(e.Override)},
		{"usage", e.Usage},
		{"examples", e.Examples},
		{"arguments", schema.String()},
	} {
		fmt.Fprintf(s.out, "%-12s %s\n", row[0], indent(clean(dash(strings.TrimSpace(row[1])))))
	}
	return nil
}

func yesNo(b bool) string {
	return strings.NewReplacer("true", "yes", "false", "no").Replace(strconv.FormatBool(b))
}

// completeTools completes the names of tools that are known without starting a process.
func completeTools(s streams, root *rootOptions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if err := fromEnvironment(cmd, s.environ); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		session, err := root.appOptions(s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		tools := session.Toolbox()
		tools.Gate, tools.Asleep, tools.Listing = root.quietGate(), true, true
		box, err := inspect.OpenToolbox(cmd.Context(), tools)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, e := range box.List(cmd.Context()) {
			if strings.HasPrefix(e.Name, typed) {
				out = append(out, cobra.CompletionWithDesc(e.Name, oneLine(e.Description, 60)))
			}
		}
		if box.Close() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return candidates(out), cobra.ShellCompDirectiveNoFileComp
	}
}
