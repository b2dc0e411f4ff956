package docs

import (
	"fmt"
	"regexp"
	"strings"
)

// block is a fenced code block of a page. The words after the language say how the block is tested:
//
//	file=PATH              the text is written to that file, below the current directory of the page's shell
//	illustration="reason"  the text is neither written nor run
//	event                  the text holds events, one per line; another test reads them
//	reset                  the page's project is recreated before this block
//	sandbox                the block is skipped if the system cannot confine processes
//	policy                 the text is also the policy of the machine from here on, /etc/aura/policy.yaml
//	keygen                 the block is skipped if there is no ssh-keygen
//	python                 the block is skipped if there is no Python that runs extensions
//	release                the block is run only by 'make release-check', with a release; release=PROGRAM needs that program, and root
//
// A console block is run. A block without a language, or of language text, is prose.
type block struct {
	page string
	// line is the line of the opening fence.
	line  int
	lang  string
	words map[string]string
	text  string
}

func (b block) where() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

func (b block) has(word string) bool {
	_, ok := b.words[word]
	return ok
}

// fault says why a block may not be in a page, or returns "".
func (b block) fault() string {
	for word, value := range b.words {
		switch word {
		case "file", "illustration":
			if value == "" {
				return word + "= needs a value"
			}
		case "event", "keygen", "policy", "python", "release", "reset", "sandbox":
		default:
			return fmt.Sprintf("unknown word %q", word)
		}
	}
	plain := b.lang == "" || b.lang == "text"
	if !plain && b.lang != "console" && !b.has("file") && !b.has("illustration") && !b.has("event") {
		return fmt.Sprintf("a %s block must have file=, or illustration= with a reason", b.lang)
	}
	return ""
}

var (
	fence = regexp.MustCompile("^(`{3,})([a-z]*)(.*)$")
	word  = regexp.MustCompile(`^\s+([a-z]+)(?:=(?:"([^"]*)"|(\S+)))?`)
)

// blocks reads the fenced blocks of a page.
func blocks(page, text string) ([]block, error) {
	var out []block
	var open *block
	var end string
	var body strings.Builder
	for i, line := range strings.Split(text, "\n") {
		switch m := fence.FindStringSubmatch(line); {
		case open != nil && line == end:
			open.text = body.String()
			out = append(out, *open)
			open = nil
		case open != nil:
			body.WriteString(line + "\n")
		case m != nil:
			words, err := wordsOf(m[3])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", page, i+1, err)
			}
			open, end = &block{page: page, line: i + 1, lang: m[2], words: words}, m[1]
			body.Reset()
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s: the block is not closed", open.where())
	}
	return out, nil
}

func wordsOf(info string) (map[string]string, error) {
	words := map[string]string{}
	for strings.TrimSpace(info) != "" {
		m := word.FindStringSubmatch(info)
		if m == nil {
			return nil, fmt.Errorf("what is %q?", info)
		}
		words[m[1]] = m[2] + m[3]
		info = info[len(m[0]):]
	}
	return words, nil
}

// command is a line of a console block with the output that the page shows below it.
type command struct {
	line int
	text string
	want []string
}

// commands reads a console block. A backslash at the end of a command continues it.
func (b block) commands() ([]command, error) {
	var out []command
	continued := false
	for i, line := range strings.Split(strings.TrimRight(b.text, "\n"), "\n") {
		text, prompt := strings.CutPrefix(line, "$ ")
		switch {
		case continued:
			last := &out[len(out)-1]
			last.text += "\n" + line
			continued = strings.HasSuffix(line, `\`)
		case prompt:
			out = append(out, command{line: b.line + 1 + i, text: text})
			continued = strings.HasSuffix(text, `\`)
		case len(out) == 0:
			return nil, fmt.Errorf("%s: a console block begins with a line such as %q", b.where(), "$ command")
		default:
			last := &out[len(out)-1]
			last.want = append(last.want, line)
		}
	}
	return out, nil
}

const wildcard = "..."

// matches compares output with what a page shows. On a page, three dots match anything: on a line of their own any number of
// lines, elsewhere any part of the line. Columns are as wide as their content, so all runs of blanks are treated as equal.
func matches(want []string, output string) bool {
	var pattern strings.Builder
	pattern.WriteString("^")
	for _, line := range trimmed(want) {
		if line == wildcard {
			pattern.WriteString("(?:.*\n)*?")
			continue
		}
		parts := strings.Split(line, wildcard)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern.WriteString(strings.Join(parts, ".*") + "\n")
	}
	pattern.WriteString("$")
	got := strings.Join(trimmed(strings.Split(output, "\n")), "\n")
	if got != "" {
		got += "\n"
	}
	return regexp.MustCompile(pattern.String()).MatchString(got)
}

var blanks = regexp.MustCompile(`[ \t]+`)

// trimmed collapses blanks and removes blanks at the ends of lines and empty lines at the end.
func trimmed(lines []string) []string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(blanks.ReplaceAllString(line, " "), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
