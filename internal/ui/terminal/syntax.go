package terminal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/idelchi/aura/internal/base/plaintext"
)

// The styles of code in a language that is known. Code in any other language has one style.
var (
	comment = Style{attributes: dim}
	literal = Style{colour: green}
	number  = Style{colour: magenta}
	keyword = Style{colour: cyan}
)

// syntax describes the comments, texts and keywords of a family of languages. It is enough to colour code without parsing it.
type syntax struct {
	// languages are the names of the languages after a fence.
	languages string
	// comments begin comments that end with the line. pairs begin and end comments and texts of several lines; the longest comes first.
	comments string
	pairs    string
	// quotes, of one byte each, begin and end texts within a line.
	quotes string
	words  string
}

// families are the families of languages. The values are separated by blanks.
var families = []syntax{
	{
		languages: "go golang", comments: "//", pairs: "/* */ ` `", quotes: `" '`,
		words: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false",
	},
	{
		languages: "rust rs", comments: "//", pairs: "/* */", quotes: `"`,
		words: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
	},
	{
		languages: "js javascript jsx mjs cjs ts typescript tsx vue svelte", comments: "//", pairs: "/* */ ` `", quotes: `" '`,
		words: "as async await break case catch class const continue default delete do else enum export extends false finally for from function get if implements import in instanceof interface let new null of private protected public readonly return set static super switch this throw true try type typeof undefined var void while yield",
	},
	{
		languages: "c h cc cpp c++ hpp cxx objc java kotlin kt scala cs csharp c# swift dart php zig proto protobuf groovy gradle solidity glsl cuda",
		comments:  "//", pairs: "/* */", quotes: `" '`,
		words: "abstract as auto bool boolean break byte case catch char class const constexpr continue def default delete do double else enum extends extern false final finally float fn for foreach fun func function goto guard if implements import in include inline instanceof int interface internal is let long message namespace new nil null nullptr object operator override package private protected public repeated return service short signed sizeof static struct super switch template this throw throws trait true try typedef typename union unsigned use using val var virtual void volatile when where while yield",
	},
	{
		languages: "py python python3 starlark bzl", comments: "#", pairs: `""" """ ''' '''`, quotes: `" '`,
		words: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return True try while with yield self",
	},
	{
		languages: "rb ruby perl pl r elixir ex exs crystal julia jl nix", comments: "#", quotes: `" '`,
		words: "alias and begin break case class def defmodule do else elsif end ensure false fn for foreach function if import in inherit let library module my next nil not null or package require rescue return self struct sub super then TRUE FALSE true undef unless until use using when while with yield",
	},
	{
		languages: "sh bash zsh shell fish ksh dockerfile docker makefile make mk just", comments: "#", quotes: `" '`,
		words: "break case continue do done elif else esac exit export fi for function if in local return select set shift then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR include endif ifeq ifdef define endef",
	},
	{languages: "yaml yml toml ini conf cfg properties env hcl tf terraform", comments: "#", quotes: `" '`, words: "true false null yes no on off"},
	{languages: "json jsonc json5 jsonl", comments: "//", quotes: `"`, words: "true false null"},
	{
		languages: "sql postgres postgresql mysql sqlite plsql", comments: "--", pairs: "/* */", quotes: `' "`,
		words: "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction union unique update using values view when where with",
	},
	{
		languages: "lua haskell hs elm ada vhdl", comments: "--", pairs: "{- -}", quotes: `"`,
		words: "and break case class data deriving do else elseif end false for function if import in infix instance let local module newtype nil not of or repeat return then true type until where while",
	},
	{languages: "lisp clojure clj scheme elisp asm nasm", comments: ";", quotes: `"`, words: "def defn defun defmacro fn if lambda let loop ns nil quote setq t true false"},
	{languages: "css scss less", comments: "", pairs: "/* */", quotes: `" '`, words: "important media import keyframes supports font-face"},
	{languages: "html xml svg xhtml", pairs: "<!-- -->", quotes: `"`},
}

// grammar is a family, ready for use.
type grammar struct {
	comments, quotes []string
	pairs            [][2]string
	words            map[string]bool
	// folded is set if words are recognised in capitals too.
	folded bool
}

var grammars = sync.OnceValue(func() map[string]*grammar {
	out := map[string]*grammar{}
	for _, f := range families {
		g := &grammar{comments: strings.Fields(f.comments), quotes: strings.Fields(f.quotes), words: map[string]bool{}, folded: f.comments == "--"}
		for pair := range slices.Chunk(strings.Fields(f.pairs), 2) {
			g.pairs = append(g.pairs, [2]string(pair))
		}
		for word := range strings.FieldsSeq(f.words) {
			g.words[word] = true
		}
		for language := range strings.FieldsSeq(f.languages) {
			out[language] = g
		}
	}
	return out
})

// highlighter styles the lines of a code block. A copy continues at the same line.
type highlighter struct {
	// of is the family of the language; nil if it is unknown. diff is set if the block is a diff.
	of   *grammar
	diff bool
	hunk hunkState
	// until ends a comment or a text that began in an earlier line; empty if none is open. inside is its style.
	until  string
	inside Style
}

// newHighlighter returns a highlighter for a block with an info string, the text after its fence.
func newHighlighter(info string) highlighter {
	language, _, _ := strings.Cut(strings.ToLower(strings.Trim(info, "{.} \t")), " ")
	return highlighter{of: grammars()[language], diff: language == "diff" || language == "patch"}
}

// line returns the next line of the block.
func (h *highlighter) line(look Look, text string) Styled {
	switch {
	case h.diff:
		return look.Paint(h.changed(text), text)
	case h.of == nil:
		return look.Paint(code, text)
	}
	text = plaintext.Show(text) // as a whole, because how a character is shown depends on the one before it
	var out strings.Builder
	quotes := h.of.quotes
	begin, before, last := 0, ' ', Plain
	for at := 0; at < len(text); {
		n, style := h.piece(text[at:], before, &quotes)
		if style != last {
			out.WriteString(string(look.paintClean(last, text[begin:at])))
			begin, last = at, style
		}
		at += n
		before, _ = utf8.DecodeLastRuneInString(text[:at])
	}
	return Styled(out.String()) + look.paintClean(last, text[begin:])
}

// changed returns the style of a line of a diff. People leave out the lines that begin files and hunks.
func (h *highlighter) changed(line string) Style {
	style := h.hunk.next(line)
	switch {
	case style != Strong || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- "):
		return style
	case strings.HasPrefix(line, "+"):
		return added
	case strings.HasPrefix(line, "-"):
		return removed
	case strings.HasPrefix(line, " "):
		return Plain
	}
	return style
}

// token matches a word, a number, or blanks.
var token = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([\pL_$][\pL\pN_$-]*)|(\pN[\pN\pL_.]*)|\s+)`)
})

// piece returns the length and the style of the first piece of a text. before is the character before it. quotes are those that may begin a
// text in the rest of the line: one that does not end is not looked for again, because each search could read the whole line.
func (h *highlighter) piece(text string, before rune, quotes *[]string) (int, Style) {
	if h.until != "" {
		i := strings.Index(text, h.until)
		if i < 0 {
			return len(text), h.inside
		}
		n := i + len(h.until)
		h.until = ""
		return n, h.inside
	}
	for _, p := range h.of.pairs {
		if strings.HasPrefix(text, p[0]) {
			h.until, h.inside = p[1], literal
			if p[0] != p[1] {
				h.inside = comment
			}
			n, style := h.piece(text[len(p[0]):], ' ', quotes)
			return len(p[0]) + n, style
		}
	}
	for _, mark := range h.of.comments {
		// In a word, such as a URL or an anchor, the mark of a comment is no mark.
		if strings.HasPrefix(text, mark) && (unicode.IsSpace(before) || mark != "#" && before != ':') {
			return len(text), comment
		}
	}
	if i := slices.Index(*quotes, text[:1]); i >= 0 {
		if n := quoted(text); n > 0 {
			return n, literal
		}
		*quotes = slices.Delete(slices.Clone(*quotes), i, i+1)
	}
	m := token().FindStringSubmatch(text)
	switch {
	case m == nil:
		_, n := utf8.DecodeRuneInString(text)
		return n, Plain
	case m[2] != "":
		return len(m[0]), number
	case h.of.words[m[1]] || h.of.folded && h.of.words[strings.ToLower(m[1])]:
		return len(m[0]), keyword
	}
	return len(m[0]), Plain
}

// quoted returns the length of the text in quotes at the beginning of a line; 0 if the text does not end in the line.
func quoted(line string) int {
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case line[0]:
			return i + 1
		}
	}
	return 0
}
