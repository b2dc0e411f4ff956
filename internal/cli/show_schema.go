package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idelchi/aura/internal/base/nearest"
	"github.com/idelchi/aura/internal/settings/schema"
)

const showSchemaHelp = `Print the JSON schema of a kind of configuration file. An editor checks and
completes the keys of a file that names the schema in its first line, as the files of
'aura init' do. The schema of a Markdown file describes its frontmatter.

Without KIND, aura lists all kinds and where their files are in a home. The schemas
are part of aura and describe exactly what this version reads.`

const showSchemaExamples = `  aura show schema
  aura show schema providers
  aura show schema providers > .aura/schemas/providers.schema.json`

func newShowSchema(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "schema [KIND]",
		Short:   "Print the JSON schema of a kind of configuration file",
		Long:    showSchemaHelp,
		Example: showSchemaExamples,
		Args:    schemaArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listSchemas(s.out, asJSON)
			}
			k, _ := schemaOf(args[0])
			text, err := k.Text()
			if err != nil {
				return err
			}
			_, err = s.out.Write(text)
			return err
		},
		ValidArgsFunction: first(completeSchemas),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the list of kinds as JSON; a schema is JSON anyway")
	return cmd
}

func schemaArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s takes [KIND]", cmd.CommandPath())}
	}
	if len(args) == 0 {
		return nil
	}
	if _, ok := schemaOf(args[0]); ok {
		return nil
	}
	names := schemaNames()
	hint := nearest.Hint(args[0], names)
	if hint == "" {
		hint = "; known kinds: " + strings.Join(names, ", ")
	}
	return usageError{fmt.Errorf("%s: unknown kind %q%s", cmd.CommandPath(), args[0], hint)}
}

func schemaNames() []string {
	var out []string
	for _, k := range schema.Kinds() {
		out = append(out, k.Name)
	}
	return out
}

// schemaOf returns the kind of file with a plural or singular name.
func schemaOf(name string) (schema.Kind, bool) {
	kinds := schema.Kinds()
	i := slices.IndexFunc(kinds, func(k schema.Kind) bool { return k.Name == name || k.One == name })
	if i < 0 {
		return schema.Kind{}, false
	}
	return kinds[i], true
}

// listedSchema is a kind of file as JSON.
type listedSchema struct {
	Kind        string `json:"kind"`
	Files       string `json:"files"`
	Frontmatter bool   `json:"frontmatter"`
}

func listSchemas(w io.Writer, asJSON bool) error {
	list := []listedSchema{}
	rows := [][]string{{"KIND", "FILES"}}
	for _, k := range schema.Kinds() {
		list = append(list, listedSchema{Kind: k.Name, Files: k.Files, Frontmatter: k.Markdown})
		rows = append(rows, []string{k.Name, k.Files})
	}
	if asJSON {
		return writeJSON(w, list)
	}
	table(w, rows)
	return nil
}

func completeSchemas(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, k := range schema.Kinds() {
		out = append(out, cobra.CompletionWithDesc(k.Name, k.Files))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
