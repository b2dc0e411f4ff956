//go:build unix

package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"
)

// TestQuotedMessagesExist checks that aura prints the messages that the pages quote. A quote is a code span, emphasized text or text in
// quotation marks, in the prose and in tables, or a line of a text block that is neither a file nor an illustration. It must occur
// in a string of the source, in what an example of the pages prints, or in what an end-to-end test expects.
func TestQuotedMessagesExist(t *testing.T) {
	t.Parallel()
	known := printed(t)
	found := 0
	for _, page := range pages(t) {
		if page == "docs/reference.md" {
			continue // generated from the source
		}
		for _, q := range quotes(page, text(t, page)) {
			m, ok := messageOf(q.text)
			if !ok {
				continue
			}
			found++
			if !slices.ContainsFunc(known, m.occurs) {
				t.Errorf("%s: aura does not print %q: correct the page, or write what it says instead without quoting", q.where, q.text)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d messages were found in the pages", found)
	}
}

// quote is a text that a page quotes.
type quote struct{ where, text string }

// quoteMark matches quoted text of a paragraph: a code span, text in quotation marks, or emphasized text.
var quoteMark = regexp.MustCompile("`([^`]+)`" + `|"([^"]+)"|“([^”]+)”|(?:^|[^*\w])\*([^*\s][^*]*)\*`)

// element matches a line that is an element of HTML, such as a picture. What stands for the picture is no quote.
var element = regexp.MustCompile(`^\s*</?[a-z][^>]*>$`)

// quotes returns the quotes of a page.
func quotes(page, text string) []quote {
	var out []quote
	var paragraph []string
	start, end, block := 0, "", false
	flush := func() {
		for _, m := range quoteMark.FindAllStringSubmatch(strings.Join(paragraph, " "), -1) {
			out = append(out, quote{fmt.Sprintf("%s:%d", page, start), strings.Join(m[1:], "")})
		}
		paragraph = nil
	}
	for i, line := range append(strings.Split(text, "\n"), "") {
		m := fence.FindStringSubmatch(line)
		switch {
		case end != "" && line == end:
			end = ""
		case end != "" && block:
			out = append(out, quote{fmt.Sprintf("%s:%d", page, i+1), line})
		case end != "":
		case element.MatchString(line):
			flush()
		case m != nil:
			flush()
			end, block = m[1], (m[2] == "" || m[2] == "text") && strings.TrimSpace(m[3]) == ""
		default:
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "#") {
				flush()
			}
			if len(paragraph) == 0 {
				start = i + 1
			}
			paragraph = append(paragraph, strings.ReplaceAll(line, `\|`, "|"))
		}
	}
	return out
}

// programs lists how command lines begin that pages show.
var programs = []string{"apt", "aura", "brew", "cd", "claude", "codex", "dnf", "du", "for", "gemini", "git", "go", "gofmt", "make", "man", "shasum"}

var (
	// parentheses matches arguments in parentheses, as in Bash(git push *).
	parentheses = regexp.MustCompile(`\([^()]*\)`)
	// shownCall matches a tool call as aura shows it: what follows the name comes from the model.
	shownCall = regexp.MustCompile(`^([?>] [A-Z]\w*) .*`)
	// ownWord matches a word of a message. All others are arguments: placeholders such as NAME and N, numbers, names, paths.
	ownWord = regexp.MustCompile(`^[\[(]*[A-Za-z]?[a-z'-]*[a-z][\]),;:.!?]*$`)
)

// message is a quoted message.
type message struct {
	pattern *regexp.Regexp
	// word is the longest word of the message. Looking for it takes a small part of the time that the pattern takes.
	word string
}

func (m message) occurs(text string) bool {
	return strings.Contains(text, m.word) && m.pattern.MatchString(text)
}

// messageOf returns a quoted message, and false if the quoted text is something else: a command line, flags, a slash
// command, Go, YAML, or less than three words, two of which are no arguments.
func messageOf(text string) (message, bool) {
	text = shownCall.ReplaceAllString(strings.TrimSpace(text), "$1 …")
	plain := parentheses.ReplaceAllString(withoutQuotes(text), "X")
	words := strings.Fields(plain)
	if len(words) < 3 || slices.Contains(programs, words[0]) || strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "/") || isGo(text) || isYAML(text) {
		return message{}, false
	}
	var pattern strings.Builder
	own, gap, longest := 0, true, ""
	for word := range strings.FieldsSeq(normal(text)) {
		switch {
		case !ownWord.MatchString(word):
			gap = true
			continue
		case own == 0:
			pattern.WriteString(`(?:^|[^\pL])`)
		case gap:
			pattern.WriteString(`.{1,80}?`)
		default:
			pattern.WriteString(" ")
		}
		pattern.WriteString(regexp.QuoteMeta(word))
		own, gap = own+1, false
		if len(word) > len(longest) {
			longest = word
		}
	}
	if own < 2 {
		return message{}, false
	}
	return message{regexp.MustCompile(pattern.String() + `(?:$|[^\pL])`), longest}, true
}

// isGo reports whether a text is Go: an expression, a statement, the head of a statement, or a declaration.
func isGo(text string) bool {
	text = strings.ReplaceAll(text, "…", "x")
	for _, form := range []string{"func _() { %s }", "func _() { %s {} }", "func _() { _ = %s }", "%s", "type _ interface { %s }"} {
		if _, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+fmt.Sprintf(form, text), parser.SkipObjectResolution); err == nil {
			return true
		}
	}
	return false
}

// isYAML reports whether a text is a YAML mapping with a mapping or a list in it.
func isYAML(text string) bool {
	var content map[string]any
	if yaml.Unmarshal([]byte(text), &content) != nil {
		return false
	}
	for _, value := range content {
		switch value.(type) {
		case map[string]any, []any:
			return true
		}
	}
	return false
}

var verb = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?[0-9*.]*[a-zA-Z]`)

// argument replaces what differs between two messages of one kind.
const argument = "\x00"

// quotedPart matches a quoted part of a message. An apostrophe does not begin one.
var quotedPart = regexp.MustCompile(`"[^"]*"|(^|[\s(])'[^']*'`)

// normal returns a text on one line, with quoted parts replaced.
func normal(text string) string { return flat(quotedPart.ReplaceAllString(text, "$1"+argument)) }

// flat returns a text on one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// printed returns what aura can print.
func printed(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		test := strings.HasSuffix(path, "_test.go")
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "testdata", "tools", "symtab"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || test && filepath.Base(filepath.Dir(filepath.Dir(path))) != "e2e":
			return nil
		}
		list, err := literals(path)
		for _, text := range list {
			if test {
				out = append(out, expectedTexts(text)...)
			} else {
				out = append(out, normal(verb.ReplaceAllString(text, argument)))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		for _, b := range read(t, page) {
			if b.lang != "console" || b.has("illustration") {
				continue
			}
			list, err := b.commands()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				for _, line := range c.want {
					out = append(out, normal(line))
				}
			}
		}
	}
	return append(out, expected(t)...)
}

// literals returns the strings in a Go file.
func literals(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := literal(e)
		if ok {
			out = append(out, text)
		}
		return !ok
	})
	return out, nil
}

// literal returns a string, or a sum with a string in it. What is not a string becomes an argument.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return argument, false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return argument, false
		}
		left, one := literal(e.X)
		right, two := literal(e.Y)
		return left + right, one || two
	default:
		return argument, false
	}
}

var (
	expectation = regexp.MustCompile(`(?m)^!? ?(?:\[\w+\] )?(?:stdout|stderr|grep|await|request|json) .*$`)
	scriptWord  = regexp.MustCompile(`'([^']*)'`)
)

// expected returns what the end-to-end scripts expect.
func expected(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repo, "internal/lab/e2e/testdata/pages/*/*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var out []string
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range expectation.FindAllString(string(txtar.Parse(content).Comment), -1) {
			if strings.HasPrefix(line, "!") {
				continue
			}
			for _, m := range scriptWord.FindAllStringSubmatch(line, -1) {
				out = append(out, expectedTexts(m[1])...)
			}
		}
	}
	return out
}

// expectedTexts returns the texts that a pattern of a test stands for. What is quoted there may be a message too.
func expectedTexts(pattern string) []string {
	text := strings.NewReplacer(".*", argument, `\r`, " ", `\n`, " ", `\`, "").Replace(pattern)
	return []string{normal(text), flat(text)}
}

// TestMessageOf has a row for each rule by which quoted text is taken for a message and found.
func TestMessageOf(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		quoted string
		// source is a string of the source; empty if the quoted text is no message.
		source string
		found  bool
	}{
		{"the sandbox is not enforced", "the sandbox is not enforced on this system: %v", true},
		{"the sandbox is not enforced", "the sandbox was not enforced on this system: %v", false},
		{"the sandbox is not enforced", "the sandbox is not", false},
		{"the sandbox is not enforced", "the sandbox is not enforcedly", false},
		{`plugin "x" is quarantined after 3 crashes …`, "plugin %q is quarantined after %d crashes in %v", true},
		{`plugin "x" is quarantined after 3 crashes …`, "plugin %q is stopped after %d crashes in %v", false},
		{`plugin "x" is quarantined after 3 crashes …`, "plugin %q is quarantined after a crash", false},
		{"the first 64 MiB of it are in FILE", "the first %s of it are in %s, and no more is kept", true},
		{"the user's files are kept", "if the user's files are kept, the plugin's are too", true},
		{"[N bytes left out]", "… [%d bytes left out]", true},
		{"? Bash rm -rf it now please", "", false},
		{"two words", "", false},
		{"aura plugins show NAME", "", false},
		{"git push origin main", "", false},
		{"--json --events waiting", "", false},
		{"/until COND then more", "", false},
		{"for i := range n", "", false},
		{"switch v.(type) { case nil: … }", "", false},
		{"Paths(map[string]any) (sdk.ToolPaths, error)", "", false},
		{"local: {NAME: {key: value}}", "", false},
		{`exists:"this and that.txt"`, "", false},
		{"Bash(git push *)", "", false},
		{"> NAME …", "", false},
	} {
		m, ok := messageOf(row.quoted)
		if ok != (row.source != "") {
			t.Errorf("%s: it is a message: %t", row.quoted, ok)
			continue
		}
		if ok && m.occurs(normal(verb.ReplaceAllString(row.source, argument))) != row.found {
			t.Errorf("%s: found in %q: %t", row.quoted, row.source, !row.found)
		}
	}
}

// TestQuotes reads the quotes of a page.
func TestQuotes(t *testing.T) {
	t.Parallel()
	const page = "A `code span` and \"a\nquote\", *emphasis*, **strong** text.\n\n" +
		"| `in a table` |\n| `a \\| b` |\n\n- `in a\n  list`\n\n```text\na line\n```\n\n" +
		"```text file=x\na file\n```\n\n```console\n$ aura\n```\n\n```text illustration=\"why\"\nno line\n```\nThe \u201cend\u201d.\n  <img alt=\"a picture\" src=\"x\">\n"
	var got []string
	for _, q := range quotes("page.md", page) {
		got = append(got, q.where+" "+flat(q.text))
	}
	same(t, "quotes", got, []string{
		"page.md:1 code span", "page.md:1 a quote", "page.md:1 emphasis", "page.md:4 in a table", "page.md:5 a | b", "page.md:7 in a list",
		"page.md:11 a line", "page.md:25 end",
	})
}
