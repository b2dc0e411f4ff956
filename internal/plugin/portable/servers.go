package portable

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// The variables that a server of a package finds in its environment, and that its settings can refer to.
const (
	RootVariable = "PLUGIN_ROOT"
	DataVariable = "PLUGIN_DATA"
)

// The transports of a server.
const (
	TypeStdio = "stdio"
	TypeHTTP  = "streamable-http"
	TypeSSE   = "sse"
)

// maxServers limits the servers of a package.
const maxServers = 100

// Server is a valid entry of mcp.json whose transport aura has. Placeholders are not expanded.
type Server struct {
	Name, Type string
	// Command is a bare name, or an absolute path in the package.
	Command string
	Args    []string
	Env     map[string]string
	// Cwd is empty if the server runs in the root of the package; see Workdir.
	Cwd     string
	URL     string
	Headers map[string]string
}

// Servers reads the servers of a package.
func (p Package) Servers() ([]Server, []Fault) {
	text, err := p.read(MCPFile, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var entries map[string]any
	if err == nil {
		entries, err = parseServers(text)
	}
	if err != nil {
		return nil, []Fault{{Part: MCPFile, Err: err}}
	}
	var out []Server
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		s, err := p.server(name, entries[name])
		if err != nil {
			faults = append(faults, Fault{Part: fmt.Sprintf("MCP server %q", name), Err: err})
			continue
		}
		out = append(out, s)
	}
	return out, faults
}

// parseServers checks the top level of mcp.json and returns its entries.
func parseServers(text []byte) (map[string]any, error) {
	top, err := object(text)
	if err != nil {
		return nil, err
	}
	if err := checkSchema(top, MCPSchema); err != nil {
		return nil, err
	}
	for key := range top {
		if key != "$schema" && key != "mcpServers" {
			return nil, fmt.Errorf("unknown key %q; known keys: $schema, mcpServers", key)
		}
	}
	entries, ok := top["mcpServers"].(map[string]any)
	if !ok {
		return nil, errors.New(`key "mcpServers": missing or not an object`)
	}
	if len(entries) > maxServers {
		return nil, fmt.Errorf("it has more than %d servers", maxServers)
	}
	return entries, nil
}

// server reads one entry.
func (p Package) server(name string, value any) (Server, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return Server{}, errors.New("it is not an object")
	}
	kind, err := text(fields["type"])
	if err != nil {
		return Server{}, fmt.Errorf(`key "type": missing or not a string; known types: %s, %s, %s`, TypeStdio, TypeHTTP, TypeSSE)
	}
	s := Server{Name: name, Type: kind}
	switch kind {
	case TypeStdio:
		return s, s.setStdio(p, fields)
	case TypeHTTP, TypeSSE:
		if err := s.setRemote(fields); err != nil {
			return s, err
		}
		if kind == TypeSSE {
			return s, errors.New("aura has no transport sse, which MCP replaced by streamable-http")
		}
		return s, nil
	default:
		return s, fmt.Errorf(`key "type": unknown type %q; known types: %s, %s, %s`, kind, TypeStdio, TypeHTTP, TypeSSE)
	}
}

// set stores the values of an entry. An unknown key is an error, and so is a missing one that is required.
func set(fields map[string]any, required string, into map[string]func(any) error) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key == "type" {
			continue
		}
		read, ok := into[key]
		if !ok {
			return fmt.Errorf("unknown key %q; known keys: type, %s", key, strings.Join(slices.Sorted(maps.Keys(into)), ", "))
		}
		if err := read(fields[key]); err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
	}
	if _, ok := fields[required]; !ok {
		return fmt.Errorf("key %q: missing", required)
	}
	return nil
}

func into[T any](place *T, read func(any) (T, error)) func(any) error {
	return func(value any) (err error) {
		*place, err = read(value)
		return err
	}
}

func (s *Server) setStdio(p Package, fields map[string]any) error {
	err := set(fields, "command", map[string]func(any) error{
		"command": into(&s.Command, text), "args": into(&s.Args, list), "env": into(&s.Env, texts), "cwd": into(&s.Cwd, text),
	})
	if err != nil {
		return err
	}
	if s.Command, err = p.command(s.Command); err != nil {
		return fmt.Errorf(`key "command": %w`, err)
	}
	for name := range s.Env {
		switch {
		case strings.EqualFold(name, RootVariable), strings.EqualFold(name, DataVariable):
			return fmt.Errorf("key \"env\": %s is set by aura", name)
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return fmt.Errorf("key \"env\": %q is not the name of a variable", name)
		}
	}
	if _, given := fields["cwd"]; given && s.Cwd == "" {
		return errors.New(`key "cwd": it is empty`)
	}
	if err := p.checkCwd(s.Cwd); err != nil {
		return fmt.Errorf(`key "cwd": %w`, err)
	}
	return nil
}

// command returns a bare name as it is, and a path in the package as an absolute path.
func (p Package) command(command string) (string, error) {
	rel, inside := strings.CutPrefix(command, "./")
	switch {
	case strings.ContainsRune(command, 0):
		return "", errors.New("it contains a NUL")
	case !inside && (command == "" || strings.ContainsAny(command, `/\`) || strings.ContainsFunc(command, unicode.IsSpace)):
		return "", fmt.Errorf("%q is neither the bare name of a program nor a path in the plugin that begins with ./; arguments belong into args", command)
	case !inside:
		return command, nil
	}
	path := filepath.Join(p.Root, filepath.FromSlash(rel))
	if local := filepath.Clean(filepath.FromSlash(rel)); local == "." || !filepath.IsLocal(local) {
		return "", errOutside
	}
	// A program that does not exist fails when it is started.
	if _, err := os.Stat(path); err == nil {
		if _, err := within(p.Root, path); err != nil {
			return "", err
		}
	}
	return path, nil
}

const (
	rootPlaceholder = "${" + RootVariable + "}"
	dataPlaceholder = "${" + DataVariable + "}"
)

// checkCwd checks the form of cwd, and that it leads out of neither directory. A directory that does not exist fails when the server is
// started.
func (p Package) checkCwd(cwd string) error {
	if cwd == "" {
		return nil
	}
	if strings.HasPrefix(cwd, dataPlaceholder) {
		// The directory for data can change until the server is started.
		_, err := p.Workdir(cwd, p.Root)
		return err
	}
	dir, err := p.Workdir(cwd, p.Root)
	if err == nil {
		if _, stat := os.Lstat(dir); stat == nil {
			_, err = within(p.Root, dir)
		}
	}
	return err
}

// Workdir returns the directory in which a server runs. The value cwd is that of Server. data is the plugin's directory for data.
func (p Package) Workdir(cwd, data string) (string, error) {
	base, rest, ok := p.Root, "", true
	switch {
	case cwd == "":
		return p.Root, nil
	case strings.HasPrefix(cwd, "./"):
		rest = cwd[1:]
	case strings.HasPrefix(cwd, rootPlaceholder):
		rest = cwd[len(rootPlaceholder):]
	case strings.HasPrefix(cwd, dataPlaceholder):
		base, rest = data, cwd[len(dataPlaceholder):]
	default:
		ok = false
	}
	if !ok || rest != "" && rest[0] != '/' {
		return "", fmt.Errorf("%q begins with neither ./ nor %s/ nor %s/", cwd, rootPlaceholder, dataPlaceholder)
	}
	rel := filepath.Clean(filepath.FromSlash(strings.TrimLeft(Expand(rest, p.Root, data), "/")))
	if rest == "" || rel == "." {
		return base, nil
	}
	if !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return filepath.Join(base, rel), nil
}

// Contained returns an error if a directory leads out of both the package and its directory for data. It is called when the server is started.
func (p Package) Contained(cwd, dir, data string) error {
	base := p.Root
	if strings.HasPrefix(cwd, dataPlaceholder) {
		var err error
		if base, err = filepath.EvalSymlinks(data); err != nil {
			return err
		}
	}
	_, err := within(base, dir)
	return err
}

func (s *Server) setRemote(fields map[string]any) error {
	err := set(fields, "url", map[string]func(any) error{"url": into(&s.URL, text), "headers": into(&s.Headers, texts)})
	if err != nil {
		return err
	}
	if err := checkURL(s.URL); err != nil {
		return fmt.Errorf(`key "url": %w`, err)
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		lower := strings.ToLower(name)
		switch {
		case seen[lower]:
			return fmt.Errorf(`key "headers": %q is there twice, in other case`, name)
		case !isToken(name) || !isHeaderValue(s.Headers[name]):
			return fmt.Errorf(`key "headers": %q is not a valid header`, name)
		}
		seen[lower] = true
		if slices.Contains(ownHeaders, lower) {
			delete(s.Headers, name)
		}
	}
	return nil
}

// ownHeaders are made by HTTP or MCP. The values in a package have no effect.
var ownHeaders = []string{
	"accept", "connection", "content-encoding", "content-length", "content-type", "host", "last-event-id", "mcp-method", "mcp-name",
	"mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade",
}

func checkURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it is not an absolute URL with http or https")
	case u.User != nil:
		return errors.New("it contains a user or a password")
	case strings.Contains(address, "#"):
		return errors.New("it contains a fragment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errors.New("plain http is allowed only for this machine: use https")
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// isToken reports whether a name can be the name of a header.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func isHeaderValue(value string) bool {
	return strings.TrimSpace(value) == value && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
