package gitconfig

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// head is the head of a section and where it is.
type head struct {
	section, sub string
	span
}

// edit replaces a part of a text.
type edit struct {
	span
	text string
}

// replaceBranches returns the text with other settings for some branches. The settings of a branch are in its first section; a branch
// without settings has no section. All other lines stay as they are. New lines end as the first one does.
func (p *configParser) replaceBranches(changed map[string][]Setting) string {
	var edits []edit
	eol := p.lineEnd()
	written := map[string]bool{}
	for i, h := range p.heads {
		list, ok := changed[h.sub]
		if h.section != "branch" || h.sub == "" || !ok {
			continue
		}
		end := len(p.text)
		if i+1 < len(p.heads) {
			end = p.heads[i+1].from
		}
		if written[h.sub] || len(list) == 0 {
			edits = append(edits, edit{span: span{h.from, end}})
			continue
		}
		written[h.sub] = true
		edits = append(edits, edit{span{h.to, h.to}, encodePairs(list, eol)})
		first, _ := slices.BinarySearchFunc(p.spans, h.to, func(at span, to int) int { return cmp.Compare(at.from, to) })
		for _, at := range p.spans[first:] {
			if at.to > end {
				break
			}
			edits = append(edits, edit{span: p.line(at)})
		}
	}
	var out strings.Builder
	if p.marked {
		out.WriteString(byteOrderMark)
	}
	kept := applyEdits(p.original, p.inOriginal(edits))
	out.WriteString(kept)
	ended := kept == "" || strings.HasSuffix(kept, "\n")
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if written[name] || len(changed[name]) == 0 {
			continue
		}
		if !ended {
			out.WriteString(eol)
			ended = true
		}
		out.WriteString("[branch " + encodeSub(name) + "]" + encodePairs(changed[name], eol) + eol)
	}
	return out.String()
}

// lineEnd returns how the first line of the original ends.
func (p *configParser) lineEnd() string {
	if at := strings.IndexByte(p.original, '\n'); at > 0 && p.original[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// inOriginal returns edits of the text as edits of the original.
func (p *configParser) inOriginal(edits []edit) []edit {
	if len(p.original) == len(p.text) {
		return edits
	}
	// removed lists where a carriage return is missing in the text.
	var removed []int
	for i := range len(p.original) - 1 {
		if p.original[i:i+2] == "\r\n" {
			removed = append(removed, i-len(removed))
		}
	}
	offset := func(at int) int {
		before, _ := slices.BinarySearch(removed, at)
		return at + before
	}
	out := make([]edit, 0, len(edits))
	for _, e := range edits {
		out = append(out, edit{span{offset(e.from), offset(e.to)}, e.text})
	}
	return out
}

// line extends the span of a pair to the blanks before it, and to the whole line if there is nothing else on it.
func (p *configParser) line(at span) span {
	from := at.from
	for from > 0 && (p.text[from-1] == ' ' || p.text[from-1] == '\t') {
		from--
	}
	if from > 0 && p.text[from-1] != '\n' {
		return span{from, at.to}
	}
	if at.to < len(p.text) {
		at.to++ // a pair ends at the end of a line
	}
	return span{from, at.to}
}

// applyEdits makes edits that do not overlap.
func applyEdits(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// encodePairs returns settings as lines. Each begins with the end of the line before it.
func encodePairs(list []Setting, eol string) string {
	var b strings.Builder
	for _, s := range list {
		key := s.Key
		if key == "pushremote" {
			key = "pushRemote" // Git's spelling
		}
		b.WriteString(eol + "\t" + key + " = " + encodeValue(s.Value))
	}
	return b.String()
}

// encodeSub returns the name of a subsection in quotes. It must not contain the end of a line.
func encodeSub(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// encodeValue returns a value as Git writes it, in quotes where it needs them.
func encodeValue(value string) string {
	out := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\b", `\b`).Replace(value)
	if strings.ContainsAny(value, "#;\r\v\f") || strings.TrimSpace(value) != value {
		return `"` + out + `"`
	}
	return out
}
