package policy

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellTool is the tool whose subject is a shell line.
const shellTool = "Bash"

// subjects are what a call is about: the commands of a shell line, or the texts among the arguments.
type subjects []subject

// subject is one of them, in all the ways in which it may be written.
type subject []string

func (s subjects) match(r rule) bool {
	matches := func(one subject) bool { return slices.ContainsFunc(one, r.subject.MatchString) }
	if r.action == Auto {
		return len(s) > 0 && !slices.ContainsFunc(s, func(one subject) bool { return !matches(one) })
	}
	return slices.ContainsFunc(s, matches)
}

// subjectsOf never returns nil.
func subjectsOf(tool string, args map[string]any) subjects {
	if tool == shellTool {
		line, _ := args["command"].(string)
		return commands(line)
	}
	out := subjects{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if text, ok := args[name].(string); ok {
			out = append(out, subject{text})
		}
	}
	return out
}

// commands takes a shell line apart, so that a rule about git holds for "cd src && git push" too. A line that does not parse
// is one command.
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
		// A rule may be about the line as a whole as well.
		out = append(out, append(whole, out[0]...))
	}
	return out
}

// written is a command as it stands in the line, without the variables set for it, and with its quotes resolved where
// they hold plain text.
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

// literal is the text of a word that has nothing to expand.
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
