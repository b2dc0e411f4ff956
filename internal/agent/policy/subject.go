package policy

import (
	"bytes"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// ShellTool is the tool whose subjects are the commands of a shell line.
	ShellTool = "Bash"
	// patchTool is the tool whose text contains names of files.
	patchTool = "Patch"
)

// subjects holds what a call is about: the commands of a shell line, or the strings in the arguments.
type subjects []subject

// subject holds all spellings of one subject.
type subject []string

func (s subjects) match(r rule) bool {
	matches := func(one subject) bool { return slices.ContainsFunc(one, r.subject.MatchString) }
	if r.action == Auto {
		return len(s) > 0 && !slices.ContainsFunc(s, func(one subject) bool { return !matches(one) })
	}
	return slices.ContainsFunc(s, matches)
}

// subjectsOf returns the subjects of a call. It never returns nil.
func (p Policy) subjectsOf(tool string, args map[string]any) subjects {
	if tool == ShellTool {
		line, _ := args["command"].(string)
		return commands(line)
	}
	out := subjects{}
	for _, text := range texts(args) {
		out = append(out, append(subject{text}, p.paths(text)...))
		if tool == patchTool {
			for _, m := range patched().FindAllStringSubmatch(text, -1) {
				out = append(out, append(subject{m[1]}, p.paths(m[1])...))
			}
		}
	}
	return out
}

// patched matches the files that a patch names.
var patched = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to):[ \t]*(.*?)[ \t\r]*$`)
})

// texts returns all strings in a value, at any depth, ordered by their keys.
func texts(value any) []string {
	var out []string
	switch value := value.(type) {
	case string:
		out = append(out, value)
	case []any:
		for _, item := range value {
			out = append(out, texts(item)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			out = append(out, texts(value[name])...)
		}
	}
	return out
}

// longestPath is the maximum length of a path, in bytes.
const longestPath = 4096

// paths returns other spellings of a text, if the text can be a path.
func (p Policy) paths(text string) []string {
	if text == "" || len(text) > longestPath || strings.ContainsAny(text, "\n\r") {
		return nil
	}
	path := filepath.Clean(text)
	out := []string{path}
	if p.workdir == "" {
		return out
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.workdir, path)
		out = append(out, path)
	}
	if below, err := filepath.Rel(p.workdir, path); err == nil && filepath.IsLocal(below) {
		out = append(out, below)
	}
	return out
}

// commands splits a shell line into commands, so that a rule about git also matches "cd src && git push". A line that cannot be
// parsed is treated as one command.
func commands(line string) subjects {
	whole := subject{strings.TrimSpace(line)}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return subjects{whole}
	}
	out := subjects{}
	printer := syntax.NewPrinter(syntax.SingleLine(true))
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		out = append(out, written(printer, call))
		return true
	})
	if len(out) == 0 {
		return subjects{whole}
	}
	if len(out) == 1 {
		out[0] = append(out[0], whole...)
	} else {
		// A rule may also refer to the whole line.
		out = append(out, append(whole, out[0]...))
	}
	return out
}

// written returns a command in two spellings: as it is in the line but without its variable assignments, and with its quotes
// removed where they contain plain text.
func written(printer *syntax.Printer, call *syntax.CallExpr) subject {
	var raw, plain []string
	for _, word := range call.Args {
		var b bytes.Buffer
		if err := printer.Print(&b, word); err != nil {
			continue
		}
		raw = append(raw, b.String())
		if text, ok := literal(word); ok {
			plain = append(plain, text)
		} else {
			plain = append(plain, b.String())
		}
	}
	return subject{strings.Join(raw, " "), strings.Join(plain, " ")}
}

// literal returns the text of a word without expansions.
func literal(word *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}
