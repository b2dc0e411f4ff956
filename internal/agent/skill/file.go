package skill

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// FileName is the main file of a skill that is a directory.
const FileName = "SKILL.md"

// The limits of the Agent Skills specification, in characters.
const (
	MaxName          = 64
	MaxDescription   = 1024
	MaxCompatibility = 500
)

// File is the content of a SKILL.md.
type File struct {
	// Name is a valid name: that of the directory if the file has none.
	Name string
	// Description has at most MaxDescription characters.
	Description   string
	License       string
	Compatibility string
	Metadata      map[string]string
	// AllowedTools is shown. It grants nothing.
	AllowedTools []string
	Body         string
	// Line is the line of the name, or 1.
	Line int
}

// Fault is a rule of the specification that a file breaks.
type Fault struct {
	// Line counts from 1.
	Line int
	// Key is empty if the fault is not in the value of a key.
	Key  string
	Text string
	// Informs is true for a key that changes neither which skill this is nor what it says: license, metadata, allowed-tools, and keys
	// that the specification does not have.
	Informs bool
}

func (f Fault) String() string {
	if f.Key == "" {
		return f.Text
	}
	return fmt.Sprintf("key %q: %s", f.Key, f.Text)
}

// Parse reads the content of a SKILL.md. The path names the skill's directory, and the file in errors. Faults do not prevent the use of
// the skill. An error does, and is not among the faults.
func Parse(path string, data []byte) (File, []Fault, error) {
	p := parser{path: path, dir: filepath.Base(filepath.Dir(path))}
	if err := p.read(data); err != nil {
		return File{}, p.faults, err
	}
	err := p.decode()
	return p.file, p.faults, err
}

// parser holds a file while it is read.
type parser struct {
	path, dir string

	root   yaml.Node
	file   File
	faults []Fault
}

func (p *parser) addFault(line int, key, format string, args ...any) {
	group, _, _ := strings.Cut(key, ".")
	p.faults = append(p.faults, Fault{
		Line: max(line, 1), Key: key, Text: fmt.Sprintf(format, args...),
		Informs: slices.Contains([]string{"license", "metadata", "allowed-tools"}, group),
	})
}

func (p *parser) unusable(line int, text string) error {
	return &strictyaml.Error{File: p.path, Line: max(line, 1), Err: errors.New(text)}
}

// read splits the file. Other agents accept a value with a colon that is not quoted, so it is only a fault.
func (p *parser) read(data []byte) error {
	body, err := strictyaml.Frontmatter(p.path, data, &p.root)
	if err != nil {
		wrong, _ := errors.AsType[*strictyaml.Error](err)
		p.root = yaml.Node{}
		var again error
		if body, again = strictyaml.Frontmatter(p.path, quoteColons(data), &p.root); again != nil || wrong == nil {
			return err
		}
		p.addFault(wrong.Line, "", "invalid YAML: put a value that contains a colon in quotes")
	}
	if p.root.Kind != yaml.MappingNode {
		return p.unusable(1, "it does not begin with keys between two lines of ---")
	}
	p.file.Body = strings.TrimSpace(body)
	return nil
}

var colonValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z-]+): +([^\s"'|>\[{&*!%@#].*: .*?)\r?$`) })

// quoteColons quotes the values of top-level keys that contain a colon followed by a space.
func quoteColons(data []byte) []byte {
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		if i > 0 && strings.TrimSpace(string(line)) == "---" {
			break
		}
		if m := colonValue().FindSubmatch(line); m != nil {
			lines[i] = fmt.Appendf(nil, "%s: '%s'", m[1], bytes.ReplaceAll(m[2], []byte("'"), []byte("''")))
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

func (p *parser) decode() error {
	var name, description *yaml.Node
	for i := 0; i+1 < len(p.root.Content); i += 2 {
		key, value := p.root.Content[i], p.root.Content[i+1]
		for value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		switch key.Value {
		case "name":
			name = value
		case "description":
			description = value
		case "license":
			p.file.License = p.text(key.Value, value)
		case "compatibility":
			p.file.Compatibility = p.text(key.Value, value)
			if n := utf8.RuneCountInString(p.file.Compatibility); value.Kind == yaml.ScalarNode && (n == 0 || n > MaxCompatibility) {
				p.addFault(value.Line, key.Value, "it has %d characters; 1 to %d are allowed", n, MaxCompatibility)
			}
		case "metadata":
			p.metadata(value)
		case "allowed-tools":
			p.allowedTools(value)
		default:
			p.addFault(key.Line, "", "unknown key %q", key.Value)
			p.faults[len(p.faults)-1].Informs = true
		}
	}
	return errors.Join(p.name(name), p.description(description))
}

// text returns a value as text.
func (p *parser) text(key string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		p.addFault(n.Line, key, "it is not text")
		return ""
	}
	if tag := n.ShortTag(); tag != "!!str" {
		p.addFault(n.Line, key, "it is not text: put it in quotes")
		if tag == "!!null" {
			return ""
		}
	}
	return strings.TrimSpace(n.Value)
}

// name uses the directory's name instead of a name that breaks the rules.
func (p *parser) name(n *yaml.Node) error {
	p.file.Line = 1
	var faults []string
	if n == nil {
		faults = []string{"missing"}
	} else {
		p.file.Name, p.file.Line = p.text("name", n), max(n.Line, 1)
		faults = NameFaults(p.file.Name)
	}
	for _, text := range faults {
		p.addFault(p.file.Line, "name", "%s", text)
	}
	if len(faults) == 0 {
		if p.file.Name != p.dir {
			p.addFault(p.file.Line, "name", "%q is not the name of the directory, %q", p.file.Name, p.dir)
		}
		return nil
	}
	if len(NameFaults(p.dir)) > 0 {
		return p.unusable(p.file.Line, "neither its name nor the name of its directory is valid")
	}
	p.file.Name = p.dir
	return nil
}

// NameFaults returns the rules for names that a name breaks.
func NameFaults(name string) []string {
	var out []string
	if name == "" {
		return []string{"it is empty"}
	}
	if n := utf8.RuneCountInString(name); n > MaxName {
		out = append(out, fmt.Sprintf("it has %d characters; at most %d are allowed", n, MaxName))
	}
	if strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && !unicode.IsDigit(r) && (!unicode.IsLetter(r) || unicode.ToLower(r) != r)
	}) {
		out = append(out, fmt.Sprintf("%q contains something other than lower-case letters, digits and hyphens", name))
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") {
		out = append(out, fmt.Sprintf("%q begins or ends with a hyphen", name))
	}
	if strings.Contains(name, "--") {
		out = append(out, fmt.Sprintf("%q contains two hyphens in a row", name))
	}
	return out
}

// description cuts a description that is too long, because every request to the model contains it.
func (p *parser) description(n *yaml.Node) error {
	if n == nil {
		return p.unusable(1, "the key \"description\" is missing")
	}
	p.file.Description = p.text("description", n)
	if p.file.Description == "" {
		return p.unusable(n.Line, "the key \"description\" has no text")
	}
	if runes := []rune(p.file.Description); len(runes) > MaxDescription {
		p.addFault(n.Line, "description", "it has %d characters; at most %d are allowed", len(runes), MaxDescription)
		p.file.Description = string(runes[:MaxDescription])
	}
	return nil
}

func (p *parser) metadata(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		p.addFault(n.Line, "metadata", "it is not a mapping of keys to texts")
		return
	}
	p.file.Metadata = map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			p.addFault(key.Line, "metadata."+key.Value, "it is not text: put it in quotes")
		}
		if value.Kind == yaml.ScalarNode {
			p.file.Metadata[key.Value] = value.Value
		}
	}
}

// allowedTools also reads lists and commas, which other agents accept.
func (p *parser) allowedTools(n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		p.file.AllowedTools = splitTools(p.text("allowed-tools", n))
		return
	}
	p.addFault(n.Line, "allowed-tools", "it is a list, not text with spaces between the tools")
	for _, item := range n.Content {
		if item.Kind == yaml.ScalarNode {
			p.file.AllowedTools = append(p.file.AllowedTools, item.Value)
		}
	}
}

// splitTools splits a text at spaces and commas outside of parentheses.
func splitTools(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		}
		return depth == 0 && (unicode.IsSpace(r) || r == ',')
	})
}
