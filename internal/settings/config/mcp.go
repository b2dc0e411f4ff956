package config

import (
	"errors"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/base/strictyaml"
)

// MCPType is the transport of an MCP server.
type MCPType string

// The types of MCP servers.
const (
	MCPStdio MCPType = "stdio"
	MCPHTTP  MCPType = "http"
)

// MCPServer is a program or a service that provides tools: mcp/**/*.yaml, a map from names to servers.
type MCPServer struct {
	Name   string `yaml:"-"`
	Source Source `yaml:"-"`

	// Type is derived from Command or URL if it is not set.
	Type MCPType `yaml:"type"`
	// Command, Args and Env start a server of type stdio.
	Command string            `yaml:"command"`
	Args    []string          `yaml:"args"`
	Env     map[string]string `yaml:"env"`
	// URL and Headers are used to connect to a server of type http.
	URL     string            `yaml:"url"`
	Headers map[string]string `yaml:"headers"`
	// Auth says how to log in to a server of type http. Everything that it leaves open is found out from the server.
	Auth MCPAuth `yaml:"auth"`
	// Timeout limits one request. 0 leaves it to the client.
	Timeout  Timeout `yaml:"timeout"`
	Disabled bool    `yaml:"disabled"`
	// Deferred withholds the tools until the model asks for them.
	Deferred bool `yaml:"deferred"`
	// Sandbox is nil or true for a server of type stdio that runs in the sandbox. Extra lists paths that it reaches there beside those of
	// its policy.
	Sandbox *bool        `yaml:"sandbox"`
	Extra   SandboxPaths `yaml:"extra"`
	// Agents are the agents that have the server; every agent has it if there are none.
	Agents []string `yaml:"-"`
	// Package is the portable plugin that has the server; nil if none has. Cwd is the server's working directory as written there.
	Package *Package `yaml:"-"`
	Cwd     string   `yaml:"-"`
	// Condition decides when the tools are offered. The zero value means always.
	Condition condition.Expr `yaml:"-"`
}

// MCPAuth says how to log in to an MCP server.
type MCPAuth struct {
	// ClientID and ClientSecret are those of a client that is registered at the authorization server.
	ClientID     string `yaml:"client_id"`
	ClientSecret string `yaml:"client_secret"`
	// ClientMetadata is the address of a client id metadata document.
	ClientMetadata string `yaml:"client_metadata"`
	// Scopes replaces the scopes that the server asks for.
	Scopes []string `yaml:"scopes"`
	// RedirectPort is the port to which the browser is sent back; 0 means any.
	RedirectPort int `yaml:"redirect_port"`
}

// mcpFile is a server as written in a file.
type mcpFile struct {
	MCPServer `yaml:",inline"`

	Condition string `yaml:"condition"`
}

func (l *loader) mcpServers(agents map[string]Agent) (map[string]MCPServer, error) {
	all, err := loadKind(l, kind[MCPServer]{name: mcpKind, folder: mcpFolder, ext: yamlFiles, read: readMap(l, l.finishMCP)})
	if err == nil {
		err = l.addAgentServers(all, agents)
	}
	if err == nil {
		l.addPackagedServers(all)
	}
	return all, err
}

// addAgentServers adds the servers in the files of agents. An agent has those of its own file and of the agents that it inherits from. A name means one
// server in all of the configuration, because approvals, logins and the names of tools refer to it.
func (l *loader) addAgentServers(merged map[string]MCPServer, agents map[string]Agent) error {
	var faults []error
	for _, agent := range slices.Sorted(maps.Keys(agents)) {
		for _, d := range agents[agent].made {
			file, _ := d.file.(agentFile)
			for _, e := range file.servers {
				s, known := merged[e.name]
				switch {
				case !known:
					s = e.value
					l.seen.addPlace(mcpKind, e.name, Place{Source: d.Source, Line: e.line})
				case s.Source != d.Source || len(s.Agents) == 0:
					faults = append(faults, l.faulty(mcpKind, d.Source, d.wrong([]string{mcpKey, e.name}, "%s %q is declared in %s already: rename one of them", mcpKind, e.name, s.Source.File)))
					continue
				}
				s.Agents = append(slices.Clip(s.Agents), agent)
				merged[e.name] = s
			}
		}
	}
	return errors.Join(faults...)
}

// Of reports whether an agent has the server.
func (s MCPServer) Of(agent string) bool {
	return len(s.Agents) == 0 || slices.Contains(s.Agents, agent)
}

func (l *loader) finishMCP(d document, name string, f mcpFile) (MCPServer, error) {
	s := f.MCPServer
	s.Name, s.Source = name, d.Source
	switch {
	case s.Type != "":
	case s.Command != "":
		s.Type = MCPStdio
	case s.URL != "":
		s.Type = MCPHTTP
	}
	checked := s
	if l.text && strings.Contains(s.URL, "${") {
		checked.URL = "https://variable"
	}
	if err := checked.check(d); err != nil {
		return MCPServer{}, err
	}
	var err error
	s.Condition, err = d.condition([]string{name, "condition"}, f.Condition)
	return s, err
}

// serverName matches the characters that models accept in the name of a tool.
var serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

func (s MCPServer) check(d document) error {
	at := func(keys ...string) []string { return append([]string{s.Name}, keys...) }
	switch {
	case !serverName().MatchString(s.Name) || strings.Contains(s.Name, "__"):
		return d.fault(at(), "not a name for a server, for it is part of its tools' names: use letters, digits, - and single _")
	case s.Type == "":
		return d.fault(at("type"), "missing; known types: %s, %s", MCPStdio, MCPHTTP)
	case s.Type != MCPStdio && s.Type != MCPHTTP:
		return d.fault(at("type"), "unknown type %q; known types: %s, %s", s.Type, MCPStdio, MCPHTTP)
	case s.Type == MCPStdio && s.Command == "":
		return d.fault(at("command"), "missing: a server of type stdio is a command that aura starts")
	case s.Type == MCPHTTP && !isWebAddress(s.URL):
		return d.fault(at("url"), "missing or not an address: a server of type http has one such as https://host/mcp")
	}
	if port := s.Auth.RedirectPort; port < 0 || port > 65535 {
		return d.fault(at("auth", "redirect_port"), "%d is not a port: write a number from 1 to 65535", port)
	}
	if s.Auth.ClientMetadata != "" && !strings.HasPrefix(s.Auth.ClientMetadata, "https://") && !strings.Contains(s.Auth.ClientMetadata, "${") {
		return d.fault(at("auth", "client_metadata"), "not an address that begins with https://")
	}
	if s.Auth.ClientSecret != "" && s.Auth.ClientID == "" {
		return d.fault(at("auth", "client_secret"), "it belongs to a client_id, which is missing")
	}
	if err := d.checkTimeout(s.Name, s.Timeout.Duration()); err != nil {
		return err
	}
	if err := d.checkVariables(at("env"), s.Env); err != nil {
		return err
	}
	if err := d.checkExtra(s.Name, s.Extra, s.Sandbox); err != nil {
		return err
	}
	return s.checkForeign(d)
}

// checkForeign refuses the keys of the other type, because they would have no effect.
func (s MCPServer) checkForeign(d document) error {
	foreign := []string{"url", "headers", "auth"}
	if s.Type == MCPHTTP {
		foreign = []string{"command", "args", "env", sandboxKey, extraKey}
	}
	for _, key := range foreign {
		if d.get(s.Name, key) != nil {
			return d.fault([]string{s.Name, key}, "a server of type %s has none", s.Type)
		}
	}
	return nil
}

// Unconfined reports whether the settings exempt the server from the sandbox.
func (s MCPServer) Unconfined() bool { return s.Sandbox != nil && !*s.Sandbox }

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// CheckMCP reads a file of MCP servers as Load does, except that variables have no effect. The name file is used only in errors.
func CheckMCP(file string, text []byte) error {
	d := document{Source: Source{File: file}, root: &yaml.Node{}}
	if err := strictyaml.Decode(file, text, d.root); err != nil {
		return err
	}
	l := &loader{text: true, seen: origins{}}
	_, err := readMap(l, l.finishMCP)(d)
	return err
}

// MCPDir returns the directory of a home that contains the files of MCP servers.
func MCPDir(home string) string { return filepath.Join(home, filepath.FromSlash(mcpFolder)) }

const (
	mcpFolder = "config/mcp"
	mcpKind   = "mcp server"
	// mcpKey is the key of an agent's servers.
	mcpKey = "mcp"
)
