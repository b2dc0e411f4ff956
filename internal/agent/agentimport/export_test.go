package agentimport

import (
	"fmt"
	"strings"
)

// Table returns the rows of the table in docs/coming-from.md.
func Table() []string {
	var out []string
	for _, a := range Agents() {
		for _, p := range a.parts {
			becomes, command := p.becomes, "`aura import "+a.Name+"`"
			switch {
			case p.by != "":
				command = p.by
			case p.read == nil && p.becomes == "":
				becomes, command = "not taken over", ""
			case p.read == nil:
				command = "none needed"
			}
			out = append(out, fmt.Sprintf("| %s | %s | %s | %s | %s |", a.Title, p.where(), becomes, command, p.not))
		}
	}
	return out
}

// where describes the files of a part.
func (p part) where() string {
	var files []string
	for _, f := range p.user {
		files = append(files, "`~/"+shown(f)+"`")
	}
	for _, f := range p.project {
		files = append(files, "`"+shown(f)+"`")
	}
	text := strings.Join(files, ", ")
	if p.key != "" {
		text = "`" + strings.ReplaceAll(p.key, " ", "`, `") + "` in " + text
	}
	return text
}

func shown(file string) string { return strings.Replace(file, "/**", "/*", 1) }
