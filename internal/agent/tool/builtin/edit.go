package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/sdk"
)

const (
	// placesShown is the maximum number of lines that an error names.
	placesShown = 10
	// searchLimit is the maximum number of bytes that are searched to improve an error message.
	searchLimit = 64 << 20
	// occurrencesCounted is how many occurrences are counted of a text that must occur once.
	occurrencesCounted = 1000
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

func (o Options) runEdit(ctx context.Context, args editArgs) (string, []rewrite, error) {
	path := o.resolve(args.Path)
	d, err := load(path)
	if err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	text, found, err := replace(d.text, args)
	if err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	if ctx.Err() != nil { // nothing is written once the caller has left
		return "", nil, context.Cause(ctx)
	}
	changed := rewrite{from: args.Path, to: args.Path, before: d.text, after: text}
	d.text = text
	if err := overwrite(path, d.String(), d.mode); err != nil {
		return "", nil, fmt.Errorf("editing %s: %w", args.Path, err)
	}
	return fmt.Sprintf("replaced %s in %s, at %s", plaintext.Counted(found.count, "occurrence"), args.Path, found), []rewrite{changed}, nil
}

// replace returns the text with the change made, and where it was made.
func replace(text string, args editArgs) (string, places, error) {
	before, after := args.Old, args.New
	if before == after {
		return "", places{}, errors.New("old and new are the same; nothing would change")
	}
	p := plain(text)
	// If old contains \r and occurs in the file exactly, the caller means exactly these line ends.
	if strings.Contains(before, "\r") && strings.Contains(text, before) {
		p = pristine(text)
	} else if before, after = unified(before), unified(after); before == after {
		return "", places{}, errors.New("old and new differ only in how lines end, and old is not in the file in this way; nothing would change")
	}
	if !args.ReplaceAll {
		switch found := p.overlapping(before); {
		case found.count >= occurrencesCounted:
			return "", places{}, fmt.Errorf("old occurs %d times or more, at %s; add the text around the one you mean, or set replace_all", found.count, found)
		case found.count > 1:
			return "", places{}, fmt.Errorf("old occurs %d times, at %s; add the text around the one you mean, or set replace_all", found.count, found)
		}
	}
	out, found, err := p.replaceAll(before, after)
	if err == nil && found.count == 0 {
		err = missing(p.text, before)
	}
	return out, found, err
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
