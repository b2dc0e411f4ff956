package main

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/cli"
)

const referenceHead = `# Command reference

Every command of aura with its flags, as ` + "`aura help COMMAND`" + ` prints them. [Command line](command-line.md) explains what all commands
have in common. This page is generated: ` + "`make generate`" + ` writes it.

Every command also takes ` + "`--help`" + `.
`

// markdown returns the command reference.
func markdown(root cli.Description) string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, d := range flatten(root) {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```text\n%s\n```\n", d.Path, d.Short, d.Usage)
		if list := aliases(d); list != "" {
			fmt.Fprintf(&b, "\nAlso: `%s`\n", list)
		}
		if d.Long != "" {
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", d.Long)
		}
		writeTable(&b, d.Flags)
		writeShared(&b, d.GlobalFlags)
		if d.Example != "" {
			fmt.Fprintf(&b, "\nExamples:\n\n```text\n%s\n```\n", unindented(d.Example))
		}
		if len(d.Commands) > 0 {
			b.WriteString("\nCommands: ")
			for i, below := range d.Commands {
				if i > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "[%s](#%s)", below.Path, strings.ReplaceAll(below.Path, " ", "-"))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func writeTable(b *strings.Builder, flags []cli.FlagDescription) {
	if len(flags) == 0 {
		return
	}
	b.WriteString("\n| flag | meaning |\n| --- | --- |\n")
	for _, f := range flags {
		fmt.Fprintf(b, "| `%s` | %s |\n", f.Name, strings.ReplaceAll(f.Usage, "|", "\\|"))
	}
}

// writeShared lists the flags that are explained at the root.
func writeShared(b *strings.Builder, flags []cli.FlagDescription) {
	if len(flags) == 0 {
		return
	}
	var names []string
	for _, f := range flags {
		name, _, _ := strings.Cut(f.Name, " ")
		names = append(names, "`"+name+"`")
	}
	fmt.Fprintf(b, "\n[Shared flags](#aura): %s\n", strings.Join(names, ", "))
}

// unindented removes the two blanks that the help has before each line of an example.
func unindented(text string) string {
	return strings.TrimPrefix(strings.ReplaceAll(text, "\n  ", "\n"), "  ")
}
