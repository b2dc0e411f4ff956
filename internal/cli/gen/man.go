package main

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/cli"
)

// manual returns the manual pages by file name. They contain no date, so that the same source produces the same pages.
func manual(root cli.Description, version string) map[string]string {
	out := map[string]string{}
	for _, d := range flatten(root) {
		out[pageName(d.Path)+".1"] = manPage(d, root.Path, version)
	}
	return out
}

// pageName returns the name of a command's page, such as aura-plugins-show.
func pageName(path string) string { return strings.ReplaceAll(path, " ", "-") }

func manPage(d cli.Description, program, version string) string {
	var b strings.Builder
	name := pageName(d.Path)
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", quoted(strings.ToUpper(name)), program, version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escaped(name), escaped(d.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", escaped(d.Usage))
	if list := aliases(d); list != "" {
		fmt.Fprintf(&b, ".br\n\\fB%s\\fR\n", escaped(list))
	}
	b.WriteString(".SH DESCRIPTION\n" + verbatim(about(d)))
	writeOptions(&b, "OPTIONS", d.Flags)
	writeOptions(&b, "SHARED OPTIONS", d.GlobalFlags)
	if d.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + verbatim(unindented(d.Example)))
	}
	writeSeeAlso(&b, d)
	return b.String()
}

// verbatim keeps the line breaks, because the help is laid out by hand.
func verbatim(text string) string { return ".nf\n" + escaped(text) + "\n.fi\n" }

func writeOptions(b *strings.Builder, heading string, flags []cli.FlagDescription) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", quoted(heading))
	for _, f := range flags {
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR\n%s\n", escaped(f.Name), escaped(f.Usage))
	}
}

func writeSeeAlso(b *strings.Builder, d cli.Description) {
	var list []string
	if i := strings.LastIndexByte(d.Path, ' '); i > 0 {
		list = append(list, pageName(d.Path[:i])+"(1)")
	}
	for _, below := range d.Commands {
		list = append(list, pageName(below.Path)+"(1)")
	}
	if len(list) > 0 {
		fmt.Fprintf(b, ".SH \"SEE ALSO\"\n%s\n", escaped(strings.Join(list, ", ")))
	}
}

// escaped returns text in which nothing is a roff request or escape. A dash becomes a minus, which can be searched and pasted.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func quoted(text string) string { return `"` + escaped(text) + `"` }
