package strictyaml

import (
	"bytes"
	"encoding/binary"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// This file holds the hints that aura adds to errors about common mistakes. A hint says what to write instead.

// syntaxHint is the hint for a document that does not parse.
type syntaxHint struct {
	// fault is a part of the YAML library's message. An empty fault matches any message.
	fault string
	// line matches the faulty line, or the line before it.
	line *regexp.Regexp
	hint string
}

// syntaxHints returns the hints, the most certain first. Few processes need them.
var syntaxHints = sync.OnceValue(func() []syntaxHint {
	return []syntaxHint{
		{"", regexp.MustCompile(`^ *\t`), "the line is indented with a tab, which YAML does not allow: use blanks, two for each level"},
		{"", regexp.MustCompile(`^\s*[“”‘’]|[:,\[{]\s+[“‘]`), "curly quotes are no quotes in YAML: write \" or '"},
		{"", regexp.MustCompile(`^\s*(?:- )?[A-Za-z_][\w-]*:[^\s:/\\]`), "write a blank after the colon, as in key: value"},
		{"mapping values are not allowed", regexp.MustCompile(`: .*:(?: |$)`), "put a value that has a colon and a blank in it in quotes"},
		{"", regexp.MustCompile(`(?:[:-] +|[\[,] *)\*(?:[^\w]|$)`), "put a value that begins with * in quotes"},
		{"", regexp.MustCompile("(?:[:-] +|[\\[,] *)[@`%]"), "put a value that begins with @, % or ` in quotes"},
		{"did not find expected ',' or", regexp.MustCompile(`\$\{`), "inside of braces or brackets a variable needs quotes, which make it a text: write one key in each line instead, as in key: ${NAME}"},
		{"", regexp.MustCompile(`\x00`), "save the file as UTF-8"},
		{"UTF-8", regexp.MustCompile(``), "save the file as UTF-8"},
		{"control characters", regexp.MustCompile(``), "save the file as plain text in UTF-8"},
	}
})

// explained adds a hint to the YAML library's message about a document that does not parse. err is an *Error.
func explained(err error, data []byte) error {
	placed, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}

	lines := strings.Split(string(data), "\n")
	near := []string{""}

	if i := placed.Line - 1; i >= 0 && i < len(lines) {
		near = []string{lines[i]}
		if i > 0 {
			near = append(near, lines[i-1])
		}
	}

	text := placed.Err.Error()

	// For a fault inside braces or brackets, the YAML library reports the first line.
	if i := slices.IndexFunc(lines, foreignComment().MatchString); i >= 0 && len(bytes.TrimLeft(data, " \t\r\n")) > 0 &&
		strings.ContainsRune("{[", rune(bytes.TrimLeft(data, " \t\r\n")[0])) {
		return &Error{File: placed.File, Line: i + 1, Err: errors.New(text + "; a comment in YAML begins with #, not with //")}
	}

	for _, h := range syntaxHints() {
		if !strings.Contains(text, h.fault) {
			continue
		}

		for back, line := range near {
			if h.line.MatchString(line) {
				return &Error{File: placed.File, Line: placed.Line - back, Err: errors.New(text + "; " + h.hint)}
			}
		}
	}

	return err
}

// foreignComment matches a comment of JSON with comments.
var foreignComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?://|/\*)|[,{\[]\s*//`) })

// Hints about keys of other programs.
const (
	hintServers = "this is how other agents list MCP servers: `aura mcp import FILE` takes such a list, " +
		"or write NAME: {command: …, args: […]} for each server in config/mcp/, without a key around them"
	hintHooks = "this is how other agents write hooks: write NAME: {event: pre, matcher: \"Write|Edit\", command: …} in config/hooks/; " +
		"event is pre or post"
	hintPolicy = "aura's words are auto, confirm and deny: write policy: {auto: […], confirm: […], deny: […]} below tools: in config/features/tools.yaml"
	hintModel  = "an agent chooses its model: write model: {provider: …, name: …} in config/agents/NAME.md, or use --provider and --model"
	hintToken  = "write token: ${NAME} for a provider in config/providers/, and set NAME in the environment or in secrets.env"
)

// keyHints holds the hints for keys that other programs have and aura does not.
var keyHints = map[string]string{
	"mcpServers": hintServers, "mcp_servers": hintServers, "context_servers": hintServers,
	"PreToolUse": hintHooks, "PostToolUse": hintHooks, "BeforeTool": hintHooks, "AfterTool": hintHooks, "UserPromptSubmit": hintHooks, "Stop": hintHooks,
	"permissions": hintPolicy, "allow": hintPolicy, "ask": hintPolicy,
	"allowedTools": hintTools, "allowed-tools": hintTools, "allowed_tools": hintTools, "disallowedTools": hintTools, "excludeTools": hintTools,
	"model": hintModel, "modelName": hintModel,
	"apiKey": hintToken, "api_key": hintToken, "auth_token": hintToken,
	"baseUrl": hintURL, "baseURL": hintURL, "base_url": hintURL, "httpUrl": hintURL, "serverUrl": hintURL,
	"systemPrompt": hintPrompt, "system_prompt": hintPrompt, "prompt": hintPrompt,
	"temperature": hintGeneration, "top_p": hintGeneration, "max_tokens": hintGeneration,
	"cwd": "aura starts an MCP server in the session's working directory",
}

const (
	hintTools      = "write tools: {enabled: […], disabled: […]}, and policy: {auto: […]} for what runs without asking"
	hintURL        = "aura's key is url"
	hintPrompt     = "write the prompt below the frontmatter, or name one of config/prompts/ with system: NAME"
	hintGeneration = "write it below model: {generation: {…}} of an agent; there, max_tokens is max_output_tokens"
)

// groups holds keys under which other programs keep a mapping that aura expects without such a key. In a file that maps names,
// such a key looks like a name.
var groups = map[string]string{
	"mcpServers": hintServers, "mcp_servers": hintServers, "context_servers": hintServers, "servers": hintServers, "hooks": hintHooks,
}

// typeHints holds the hints for keys of aura that other programs write in another form.
var typeHints = map[string]string{
	"model": "write model: {provider: …, name: …}",
	"tools": "write tools: {enabled: […]}",
	"hooks": "write hooks: {enabled: […]} to choose from the hooks in config/hooks/",
}

// keyHint returns what to write instead of an unknown key below a path. It is empty if there is no hint.
func keyHint(path string, key, value *yaml.Node) string {
	// A group contains mappings. If the value is not a mapping, the key may be an entity with that name.
	if hint := groups[path]; hint != "" && value.Kind == yaml.MappingNode {
		return hint
	}

	if strings.ContainsAny(key.Value, "“”‘’") {
		return "curly quotes are no quotes in YAML: write \" or '"
	}

	return keyHints[key.Value]
}

// valueHint returns what to write instead of a value of the wrong type.
func valueHint(path string, n *yaml.Node, want string) string {
	key := path[strings.LastIndex(path, ".")+1:]

	switch {
	case n.Kind == yaml.ScalarNode && want == wantMapping && missingBlank().MatchString(n.Value):
		return "write a blank after the colon, as in key: value"
	case n.Kind == yaml.ScalarNode && curly(n):
		return "curly quotes are no quotes in YAML: write \" or '"
	case want == wantMapping && keyHints[key] == hintHooks:
		return hintHooks
	case want == wantMapping:
		return typeHints[key]
	default:
		return ""
	}
}

var missingBlank = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w-]*:[^\s:/\\]`) })

// curly reports whether a text is enclosed only in curly quotes, as a word processor writes them.
func curly(n *yaml.Node) bool {
	first, _ := utf8.DecodeRuneInString(n.Value)
	last, _ := utf8.DecodeLastRuneInString(n.Value)

	return n.Style == 0 && strings.ContainsRune("“‘", first) && strings.ContainsRune("”’", last)
}

// utf8Text returns a document in UTF-8. It removes a byte order mark, and converts the document if the mark indicates UTF-16, as
// Windows writes it.
func utf8Text(data []byte) []byte {
	var order binary.ByteOrder

	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(data, bom)
	}

	var units []uint16
	for rest := data[2:]; len(rest) > 1; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}

	return []byte(string(utf16.Decode(units)))
}
