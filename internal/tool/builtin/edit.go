package builtin

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

const (
	// placesShown is the maximum number of lines that an error names.
	placesShown = 10
	// searchLimit is the maximum number of bytes that are searched to improve an error message.
	searchLimit = 64 << 20
)

type editArgs struct {
	Path       string `json:"path"`
	Old        string `json:"old"`
	New        string `json:"new"`
	ReplaceAll bool   `json:"replace_all"`
}

func (o Options) edit() tool.Tool {
	return builtIn[editArgs]{
		definition: tool.Definition{
			Name: "Edit",
			Description: "Replace a piece of a text file. The old text must be exactly as in the file, white space included, and must occur once. " +
				"The file must have been read before.",
			Parameters: object(`{"path":{"type":"string","minLength":1,"description":"the file"},`+
				`"old":{"type":"string","minLength":1,"description":"the text to replace"},`+
				`"new":{"type":"string","description":"what to put in its place"},`+
				`"replace_all":{"type":"boolean","description":"replace every occurrence; default false"}}`,
				"path", "old", "new"),
			Source: tool.SourceBuiltin,
		},
		run:     changing(o.runEdit),
		preview: o.previewEdit,
		paths: func(a editArgs) (sdk.ToolPaths, error) {
			file := []string{o.resolve(a.Path)}
			return sdk.ToolPaths{Read: file, Write: file, Guard: file, Record: file}, nil
		},
	}
}

func (o Options) runEdit(_ context.Context, args editArgs) (string, []rewrite, error) {
	path := o.resolve(args.Path)
	d, err := load(path)
	if err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	text, lines, err := replace(d.text, args)
	if err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	changed := rewrite{from: args.Path, to: args.Path, before: d.text, after: text}
	d.text = text
	if err := overwrite(path, d.String(), d.mode); err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	return fmt.Sprintf("replaced %s in %s, at %s", counted(len(lines), "occurrence"), args.Path, places(lines)), []rewrite{changed}, nil
}

// replace returns the text with the change made, and the numbers of the changed lines.
func replace(text string, args editArgs) (string, []int, error) {
	before, after := args.Old, args.New
	if before == after {
		return "", nil, errors.New("old and new are the same; nothing would change")
	}
	p := plain(text)
	// If old contains \r and occurs in the file exactly, the caller means exactly these line ends.
	if strings.Contains(before, "\r") && strings.Contains(text, before) {
		p = pristine(text)
	} else if before, after = unified(before), unified(after); before == after {
		return "", nil, errors.New("old and new differ only in how lines end, and old is not in the file in this way; nothing would change")
	}
	found := p.find(before, !args.ReplaceAll)
	switch {
	case len(found) == 0:
		return "", nil, missing(p.text, before)
	case len(found) > 1 && !args.ReplaceAll:
		return "", nil, fmt.Errorf("old occurs %d times, at %s; add the text around the one you mean, or set replace_all",
			len(found), places(p.lines(found)))
	default:
		return p.splice(found, len(before), after), p.lines(found), nil
	}
}

// missing returns the error for a text that is not in the file. It names the line if the text occurs there with different white
// space.
func missing(text, sought string) error {
	const remedy = "old is not in the file; read it again and copy the text exactly"
	squeezed := strings.Join(strings.Fields(sought), " ")
	height := strings.Count(strings.TrimSpace(sought), "\n") + 1
	if squeezed == "" || len(text)*height > searchLimit {
		return errors.New(remedy)
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		window := strings.Join(lines[i:min(len(lines), i+height)], "")
		if strings.Contains(strings.Join(strings.Fields(window), " "), squeezed) {
			return fmt.Errorf("%s; line %d has it with other white space", remedy, i+1)
		}
	}
	return errors.New(remedy)
}

// flat is a text in which all lines end in \n, with a record of their original line ends.
type flat struct {
	text, original string
	// windows holds the offsets in text of the line ends that were \r\n, in ascending order.
	windows []int
	// exact is set if line ends are not converted.
	exact bool
	// most is the line end of most lines.
	most string
}

func pristine(text string) flat { return flat{text: text, original: text, exact: true} }

func plain(text string) flat {
	f := flat{text: unified(text), original: text, most: ending(text)}
	for i := 0; i < len(text)-1; i++ {
		if text[i] == '\r' && text[i+1] == '\n' {
			f.windows = append(f.windows, i-len(f.windows))
		}
	}
	return f
}

// unified returns a text with all line ends converted to \n.
func unified(text string) string { return strings.ReplaceAll(text, crlf, "\n") }

// find returns the offsets of a text. If overlapping is set, it includes overlapping occurrences.
func (f flat) find(sought string, overlapping bool) []int {
	step := len(sought)
	if overlapping {
		step = 1
	}
	var out []int
	for at := 0; ; {
		i := strings.Index(f.text[at:], sought)
		if i < 0 {
			return out
		}
		out = append(out, at+i)
		at += i + step
	}
}

// lines returns the line numbers of offsets, counted from 1.
func (f flat) lines(places []int) []int {
	var out []int
	number, at := 1, 0
	for _, place := range places {
		number += strings.Count(f.text[at:place], "\n")
		at = place
		out = append(out, number)
	}
	return out
}

// splice returns the original with length bytes at each place of text replaced.
func (f flat) splice(places []int, length int, with string) string {
	var out strings.Builder
	at := 0
	for _, place := range places {
		from, to := f.source(place), f.source(place+length)
		out.WriteString(f.original[at:from])
		out.WriteString(f.fitted(f.original[from:to], with))
		at = to
	}
	out.WriteString(f.original[at:])
	return out.String()
}

// source converts an offset in text to an offset in the original.
func (f flat) source(place int) int { return place + sort.SearchInts(f.windows, place) }

// fitted converts the line ends of a text to those of the text that it replaces, or else to those of most of the file.
func (f flat) fitted(replaced, text string) string {
	if f.exact {
		return text
	}
	end := f.most
	if strings.Contains(replaced, "\n") {
		end = ending(replaced)
	}
	return strings.ReplaceAll(text, "\n", end)
}

// places returns a list of line numbers for a message.
func places(lines []int) string {
	shown := make([]string, 0, placesShown)
	for _, line := range lines[:min(len(lines), placesShown)] {
		shown = append(shown, fmt.Sprint(line))
	}
	out := "line " + strings.Join(shown, ", ")
	if len(lines) > 1 {
		out = "lines " + strings.Join(shown, ", ")
	}
	if more := len(lines) - placesShown; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
