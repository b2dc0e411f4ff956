// Package mcpimport converts the lists of MCP servers that other programs keep in JSON to files of aura. It decides which servers
// can be imported and reports the others. It reads and writes no files.
package mcpimport

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Server is one server of a list.
type Server struct {
	// Name is a name that aura accepts. Original is the name in the list.
	Name, Original string
	// Skipped is the reason why the server cannot be imported. It is empty if the server can be imported.
	Skipped string
	// Notes lists what was changed or left out.
	Notes []string
	// Variables holds the environment variables that the entry refers to, sorted. aura does not start while one of them is not
	// set.
	Variables []string
	Entry     Entry
}

// Entry is a server in the format of aura's files.
type Entry struct {
	Type    string            `yaml:"type,omitempty"`
	Command string            `yaml:"command,omitempty"`
	Args    []string          `yaml:"args,omitempty,flow"`
	Env     map[string]string `yaml:"env,omitempty"`
	URL     string            `yaml:"url,omitempty"`
	Headers map[string]string `yaml:"headers,omitempty"`
}

// Options configures the import.
type Options struct {
	// KeepSecrets writes secrets as they are, instead of references to environment variables.
	KeepSecrets bool
}

// groups holds the keys under which programs keep their lists.
var groups = []string{"mcpServers", "servers", "context_servers", "mcp_servers"}

// Parse reads a list of servers. The list is the value of one of the keys in groups, at the top level or below mcp, or the
// document itself.
func Parse(data []byte, o Options) ([]Server, error) {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(Standard(data), &document); err != nil {
		return nil, fmt.Errorf("reading it as JSON: %w", err)
	}
	list, err := servers(document)
	if err != nil {
		return nil, err
	}
	var out []Server
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		s := convertServer(name, list[name], o)
		if taken[s.Name] && s.Skipped == "" {
			s.Skipped = fmt.Sprintf("another server is named %s too: rename one of them", s.Name)
		}
		taken[s.Name] = true
		out = append(out, s)
	}
	return out, nil
}

var errNoList = errors.New(`no list of MCP servers in it: expected {"mcpServers": {"NAME": {"command": …}}}, or "servers" as VS Code has it`)

func servers(document map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if inner, ok := document["mcp"]; ok {
		var below map[string]json.RawMessage
		if json.Unmarshal(inner, &below) == nil && slices.ContainsFunc(groups, func(g string) bool { return below[g] != nil }) {
			document = below
		}
	}
	for _, group := range groups {
		raw, ok := document[group]
		if !ok {
			continue
		}
		var list map[string]json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("reading %q: it is not an object of servers by name", group)
		}
		return list, nil
	}
	for _, raw := range document {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil || fields["command"] == nil && fields["url"] == nil {
			return nil, errNoList
		}
	}
	if len(document) == 0 {
		return nil, errNoList
	}
	return document, nil
}

// fields holds the fields of a server, as the programs spell them. rest holds the names of unknown fields.
type fields struct {
	kind, command, url string
	args               []string
	env, headers       map[string]string
	// bearer is the variable of a token, fromEnv the variables of headers.
	bearer  string
	fromEnv map[string]string
	off     bool
	rest    []string
}

// convertServer converts one server of a list to a server of aura.
func convertServer(name string, raw json.RawMessage, o Options) Server {
	s := Server{Original: name, Name: validName(name)}
	if s.Name == "" {
		s.Skipped = "its name has no letter and no digit"
		return s
	}
	f, err := parseFields(raw)
	switch {
	case err != nil:
		s.Skipped = err.Error()
	case f.off:
		s.Skipped = "it is disabled there"
	default:
		s.Skipped = s.fill(f, o)
	}
	if s.Name != name {
		s.addNote("the name %q is not possible in aura: the server is named %s", name, s.Name)
	}
	return s
}

func (s *Server) addNote(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

var unusable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9_-]+|_{2,}`) })

// validName replaces characters that a tool name cannot contain. It returns the empty string if no character is left.
func validName(name string) string { return strings.Trim(unusable().ReplaceAllString(name, "-"), "-_") }

// fill sets the entry. If the server cannot be used, it returns the reason.
func (s *Server) fill(f fields, o Options) string {
	switch {
	case f.command != "" && f.url != "":
		return "it has both a command and a url: remove one of them"
	case f.command == "" && f.url == "":
		return "it has neither a command nor a url"
	case f.kind == "sse":
		return "its type is sse, the older transport that aura does not support: look for the server's streamable HTTP address"
	case f.command != "" && f.kind != "" && f.kind != "stdio" && f.kind != "local", f.url != "" && f.kind != "" && !slices.Contains(webKinds, f.kind):
		return fmt.Sprintf("its type %q is not supported", f.kind)
	}
	c := converter{server: s, keep: o.KeepSecrets}
	s.Entry.Command, s.Entry.URL = c.text("command", f.command), c.text("url", f.url)
	for _, arg := range f.args {
		s.Entry.Args = append(s.Entry.Args, c.value("args", "", arg))
	}
	s.Entry.Env, s.Entry.Headers = c.values("env", f.env), c.values("headers", f.headers)
	for _, name := range f.rest {
		s.addNote("%s", leftOut(name))
	}
	s.Variables = s.Entry.variables()
	return c.refused
}

var webKinds = []string{"http", "remote", "streamable-http", "streamableHttp", "streamable_http"}

// leftOut explains why a field is not imported.
func leftOut(name string) string {
	switch name {
	case "cwd":
		return "cwd is left out: aura starts a server in the session's working directory"
	case "timeout", "startup_timeout_sec", "tool_timeout_sec":
		return name + " is left out, because its unit differs between programs: write timeout: 30s"
	case "alwaysAllow", "autoApprove", "trust", "autoAllow":
		return name + " is left out: which calls run without asking is decided by tools.policy in config/features/tools.yaml"
	case "includeTools", "excludeTools", "disabledTools", "enabled_tools", "disabled_tools":
		return name + " is left out: choose tools with tools.disabled, by names such as mcp__SERVER__TOOL"
	case "oauth", "auth", "authProviderType":
		return name + " is left out: log in with aura mcp login NAME"
	case "envFile":
		return "envFile is left out: start aura with --env-file"
	default:
		return fmt.Sprintf("the field %q is left out: aura has nothing like it", name)
	}
}
