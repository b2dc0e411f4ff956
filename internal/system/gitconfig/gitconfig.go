// Package gitconfig reads Git's configuration files strictly, and knows which settings run nothing.
package gitconfig

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Setting is one setting of a Git configuration file. Section and Key are in lower case; Sub is empty if there is no subsection.
type Setting struct{ Section, Sub, Key, Value string }

// Name returns the name as Git prints it.
func (s Setting) Name() string {
	if s.Sub != "" {
		return s.Section + "." + s.Sub + "." + s.Key
	}
	return s.Section + "." + s.Key
}

// harmlessKeys lists the settings that run no program, lead to no other file and change no file outside of the repository. A
// subsection is written as an asterisk. Every setting that is missing here counts as one that can run something: Git gets new ones.
var harmlessKeys = func() map[string]bool {
	out := map[string]bool{}
	for section, keys := range map[string]string{
		"core": "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks sparsecheckout " +
			"sparsecheckoutcone autocrlf eol safecrlf abbrev compression quotepath longpaths sharedrepository splitindex untrackedcache " +
			"preloadindex protectntfs protecthfs hidedotfiles commentchar whitespace trustctime checkstat",
		"extensions":  "objectformat compatobjectformat refstorage partialclone worktreeconfig preciousobjects noop relativeworktrees",
		"remote.*":    "fetch push tagopt mirror promisor partialclonefilter prune prunetags skipdefaultupdate skipfetchall",
		"branch.*":    "remote pushremote merge rebase description vscode-merge-base gh-merge-base",
		"submodule.*": "active branch ignore fetchrecursesubmodules shallow",
		"submodule":   "active recurse",
		"user":        "name email useconfigonly", "author": "name email", "committer": "name email",
		"init": "defaultbranch", "push": "default autosetupremote followtags", "pull": "rebase ff", "fetch": "prune prunetags parallel",
		"merge": "ff conflictstyle renames log", "rebase": "autosquash autostash updaterefs", "commit": "verbose",
		"diff": "algorithm renames renamelimit mnemonicprefix noprefix colormoved context", "log": "date decorate",
		"status": "short branch showuntrackedfiles submodulesummary", "rerere": "enabled autoupdate", "index": "version sparse threads",
		"gc": "auto autodetach", "maintenance": "auto", "feature": "manyfiles", "pack": "threads window depth", "tag": "sort",
		"lfs": "repositoryformatversion", "checkout": "defaultremote guess", "receive": "denycurrentbranch denynonfastforwards",
	} {
		for key := range strings.FieldsSeq(keys) {
			out[section+"."+key] = true
		}
	}
	return out
}()

// Harmless reports whether a setting runs nothing.
func (s Setting) Harmless() bool {
	section := s.Section
	if s.Sub != "" {
		section += ".*"
	}
	value := strings.ToLower(s.Value)
	switch name := section + "." + s.Key; name {
	case "remote.*.url", "remote.*.pushurl", "submodule.*.url":
		// A helper named before two colons is a program.
		return !strings.Contains(s.Value, "::")
	case "submodule.*.update":
		return slices.Contains([]string{"checkout", "rebase", "merge", "none"}, value)
	case "core.fsmonitor", "commit.gpgsign", "tag.gpgsign":
		return slices.Contains([]string{"false", "no", "off", "0", ""}, value)
	default:
		return harmlessKeys[name] || section == "advice" || section == "color"
	}
}

var errSyntax = errors.New("the syntax is not Git's")

// Parse returns the settings in a Git configuration file. It refuses whatever it does not understand, because Git might.
func Parse(text []byte) ([]Setting, error) {
	p, err := parse(text)
	if err != nil {
		return nil, err
	}
	return p.out, nil
}

// byteOrderMark may be the first character of a file. Git ignores it.
const byteOrderMark = "\ufeff"

// parse does the work of Parse, and returns where everything is.
func parse(text []byte) (*configParser, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, errSyntax
	}
	p := &configParser{}
	p.original, p.marked = strings.CutPrefix(string(text), byteOrderMark)
	p.text = strings.ReplaceAll(p.original, "\r\n", "\n")
	for {
		p.skip(" \t\n\r\v\f")
		c, ok := p.peek()
		switch {
		case !ok:
			return p, nil
		case c == '#' || c == ';':
			p.until('\n')
		case c == '[':
			p.head()
		case isLetter(c) && p.section != "":
			p.pair()
		default:
			p.err = errSyntax
		}
		if p.err != nil {
			return nil, fmt.Errorf("offset %d: %w", p.at, p.err)
		}
	}
}

type configParser struct {
	// original is what follows the byte order mark, if marked is set. text is the same without the carriage returns at the ends of lines.
	original     string
	marked       bool
	text         string
	at           int
	section, sub string
	heads        []head
	// spans says where the pairs of out are, from the key to the end of the line.
	out   []Setting
	spans []span
	err   error
}

func (p *configParser) peek() (byte, bool) {
	if p.at >= len(p.text) {
		return 0, false
	}
	return p.text[p.at], true
}

func (p *configParser) skip(chars string) {
	for p.at < len(p.text) && strings.IndexByte(chars, p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *configParser) until(end byte) {
	for p.at < len(p.text) && p.text[p.at] != end {
		p.at++
	}
}

// word reads the letters, digits and further characters that a name consists of, in lower case.
func (p *configParser) word(more string) string {
	from := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || p.text[p.at] >= '0' && p.text[p.at] <= '9' || strings.IndexByte(more, p.text[p.at]) >= 0) {
		p.at++
	}
	return strings.ToLower(p.text[from:p.at])
}

// head reads the head of a section.
func (p *configParser) head() {
	from := p.at
	p.at++
	section, sub, nested := strings.Cut(p.word("-."), ".")
	p.skip(" \t")
	if c, _ := p.peek(); c == '"' {
		p.at++
		if nested {
			sub += "."
		}
		sub, nested = sub+p.quoted(), true
	}
	p.section, p.sub = section, sub
	if c, _ := p.peek(); c != ']' || section == "" || nested && sub == "" {
		p.err = errSyntax
		return
	}
	p.at++
	p.heads = append(p.heads, head{section, sub, span{from, p.at}})
}

// quoted reads a subsection up to its closing quote.
func (p *configParser) quoted() string {
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return b.String()
		case c == '\n':
			p.err = errSyntax
			return ""
		case c == '\\' && p.at < len(p.text):
			c = p.text[p.at]
			p.at++
		}
		b.WriteByte(c)
	}
	p.err = errSyntax
	return ""
}

// pair reads a key and its value. A key without a value is true.
func (p *configParser) pair() {
	from := p.at
	s := Setting{Section: p.section, Sub: p.sub, Key: p.word("-"), Value: "true"}
	p.skip(" \t")
	switch c, ok := p.peek(); {
	case !ok || c == '\n':
	case c == '=':
		p.at++
		s.Value = p.value()
	default:
		p.err = errSyntax
	}
	p.out, p.spans = append(p.out, s), append(p.spans, span{from, p.at})
}

// value reads a value up to the end of the line, which a backslash continues. Space around it does not count unless it is quoted.
func (p *configParser) value() string {
	var b strings.Builder
	quoted := false
	end := 0 // of the value without the space after it
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '\n':
			if quoted {
				p.err = errSyntax
			}
			return b.String()[:end]
		case (c == '#' || c == ';') && !quoted:
			p.until('\n')
			return b.String()[:end]
		case c == '"':
			quoted = !quoted
			end = b.Len()
		case c == '\\':
			p.at++
			length := b.Len()
			if !p.escape(&b) {
				return ""
			}
			if b.Len() > length {
				end = b.Len()
			}
		case !quoted && strings.IndexByte(" \t\r", c) >= 0:
			if b.Len() > 0 {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
			end = b.Len()
		}
	}
	if quoted {
		p.err = errSyntax
	}
	return b.String()[:end]
}

// escape reads the character after a backslash.
func (p *configParser) escape(b *strings.Builder) bool {
	c, _ := p.peek()
	switch i := strings.IndexByte("\ntbn\\\"", c); {
	case c == 0 || i < 0:
		p.err = errSyntax
		return false
	case i > 0:
		b.WriteByte("\x00\t\b\n\\\""[i])
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
