package setup

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/statefile"
)

// DemonstrationName names the built-in demonstration as a provider, unless the configuration has a provider of this name.
const DemonstrationName = "demonstration"

// demonstrationVariable lets the demonstration answer if there is no other provider.
const demonstrationVariable = "AURA_DEMONSTRATION"

// detectTimeout is the timeout for detecting a server. detectFar is the timeout if the user named the address of the server.
const (
	detectTimeout = 200 * time.Millisecond
	detectFar     = 2 * time.Second
)

// Service is a model service that a user can log in to with a key.
type Service struct {
	Title string
	// Variable is the variable of the environment that holds the key.
	Variable string
	Type     config.ProviderType
}

// Services lists the services whose key aura looks for, in the order of preference.
func Services() []Service {
	return []Service{
		{"Anthropic", "ANTHROPIC_API_KEY", config.ProviderAnthropic},
		{"OpenAI", "OPENAI_API_KEY", config.ProviderOpenAI},
		{"Google", "GEMINI_API_KEY", config.ProviderGoogle},
	}
}

// Found is a provider that can be used without configuration.
type Found struct {
	config.Provider
	// Because says why the provider is there.
	Because string
}

// NoProviderError reports that there is neither a configured provider nor one that aura detects.
type NoProviderError struct {
	// tried describes the server that did not answer; empty if the user named none.
	tried string
}

// Error names the variables and the commands with which aura gets a provider.
func (e *NoProviderError) Error() string {
	return "no provider is configured" + e.tried + ": " + e.Remedy()
}

// Remedy says how to get a provider.
func (e *NoProviderError) Remedy() string {
	var variables []string
	for _, s := range Services() {
		variables = append(variables, s.Variable)
	}
	last := len(variables) - 1
	return fmt.Sprintf("set %s or %s, start an Ollama server, or run 'aura' in a terminal, which asks for a key; to try aura without a model, add --provider %s",
		strings.Join(variables[:last], ", "), variables[last], DemonstrationName)
}

// FindProviders returns the providers that can be used without configuration, the preferred one first: services with a key in the
// environment, then services with an address in the environment, then an Ollama server that answers, or else the demonstration if a
// variable asks for it.
func (p *Providers) FindProviders(ctx context.Context) ([]Found, error) {
	var out []Found
	for _, s := range Services() {
		if token, ok := config.Lookup(p.config.Environ, s.Variable); ok && token != "" {
			c := p.config.Unconfigured(s.Type, token)
			c.TokenFrom = []string{s.Variable}
			out = append(out, Found{c, s.Variable + " is set"})
		}
	}
	for _, s := range Services() {
		if c := p.config.Unconfigured(s.Type, ""); c.URLFrom != "" && !slices.ContainsFunc(out, func(f Found) bool { return f.Type == s.Type }) {
			out = append(out, Found{c, c.URLFrom + " is set"})
		}
	}
	ollama := p.config.Unconfigured(config.ProviderOllama, "")
	if err := ollama.Usable(); err != nil {
		if len(out) > 0 {
			return out, nil
		}
		return nil, fmt.Errorf("looking for an Ollama server: %w", err)
	}
	if answers(ctx, ollama) {
		out = append(out, Found{ollama, "it answers"})
	}
	if value, _ := config.Lookup(p.config.Inherited, demonstrationVariable); len(out) == 0 && value != "" {
		out = append(out, Found{config.Provider{Name: DemonstrationName, Type: config.ProviderScript}, demonstrationVariable + " is set"})
	}
	return out, nil
}

// Detect returns the preferred one of the providers that can be used without configuration. It returns a *NoProviderError if there
// is none.
func (p *Providers) Detect(ctx context.Context) (Found, error) {
	found, err := p.FindProviders(ctx)
	if err != nil || len(found) > 0 {
		return append(found, Found{})[0], err
	}
	missing := &NoProviderError{}
	if ollama := p.config.Unconfigured(config.ProviderOllama, ""); ollama.URLFrom != "" {
		missing.tried = fmt.Sprintf(", and nothing answers at %s, from %s", Address(ollama), ollama.URLFrom)
	}
	return Found{}, missing
}

// announce notifies the user of a detected provider, and how to change that. The same notice is shown once for all sessions of the
// user.
func (p *Providers) announce(f Found) {
	text := string(f.Type) + " is used"
	if f.URLFrom != "" || f.Type == config.ProviderOllama {
		text += " at " + Address(f.Provider)
	}
	text = "no provider is configured, so " + text + ", because " + f.Because + "; to change that, put one into .aura/config/providers/"
	file := statefile.File[announced]{
		Path: p.config.State.Announced(), Max: maxAnnounced, Again: "the notice is shown again",
		Empty: func() announced { return announced{} }, Check: func(*announced) error { return nil },
	}
	if before, err := file.Read(); err == nil && before.Provider == text {
		return
	}
	p.notify(text)
	// A user without a directory for state, or with a full disk, reads the notice each time.
	_ = file.Change(func(a *announced) { a.Provider = text })
}

// maxAnnounced is the largest size of the file of notices that were shown, in bytes.
const maxAnnounced = 64 << 10

// announced is what the user was notified of in an earlier session.
type announced struct {
	// Provider is the notice about the detected provider.
	Provider string `json:"provider"`
}

// Named returns the provider of that name: one of the configuration, or else the built-in demonstration.
func (p *Providers) Named(name string) (config.Provider, bool) {
	c, ok := p.config.Providers[name]
	if !ok && name == DemonstrationName {
		return config.Provider{Name: name, Type: config.ProviderScript}, true
	}
	return c, ok
}

// answers reports whether a server accepts connections.
func answers(ctx context.Context, c config.Provider) bool {
	at, err := url.Parse(Address(c))
	if err != nil {
		return false
	}
	dialer := net.Dialer{Timeout: detectTimeout}
	if c.URLFrom != "" {
		dialer.Timeout = detectFar
	}
	conn, err := dialer.DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}
