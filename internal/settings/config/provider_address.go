package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// addressVariables maps provider types to the environment variable that holds the service's address if the configuration does not
// set one. The services' own libraries and programs use the same variables.
var addressVariables = map[ProviderType]string{
	ProviderAnthropic: "ANTHROPIC_BASE_URL",
	ProviderOpenAI:    "OPENAI_BASE_URL",
	ProviderGoogle:    "GOOGLE_GEMINI_BASE_URL",
	ProviderOllama:    "OLLAMA_HOST",
}

// namesAddress reports whether a variable is one of addressVariables.
func namesAddress(name string) bool {
	for _, variable := range addressVariables {
		if strings.EqualFold(variable, name) {
			return true
		}
	}
	return false
}

// errNoAddress reports that a text is not the address of a service.
var errNoAddress = errors.New("not an address: it begins with https:// or http://, as http://127.0.0.1:11434 does")

// located returns a provider with its address, if the configuration or the environment sets one. Only the environment of the
// process is used: an env file may come with a project, and must not choose who receives the conversation and the token.
func (p Provider) located(inherited []string) Provider {
	variable := addressVariables[p.Type]
	if p.URL != "" || variable == "" {
		return p
	}
	value, _ := Lookup(inherited, variable)
	if value = strings.TrimSpace(value); value == "" {
		return p
	}
	p.URL, p.URLFrom = value, variable
	if p.Type == ProviderOllama {
		p.URL = ollamaAddress(value)
	}
	if !isWebAddress(p.URL) {
		p.unusable = fmt.Errorf("the variable %s is %w; change or unset it, or give the provider a url", variable, errNoAddress)
	}
	return p
}

// Unconfigured returns a provider that has no configuration, as the environment describes it.
func (c *Config) Unconfigured(kind ProviderType, token string) Provider {
	return Provider{Type: kind, Token: token}.located(c.Inherited)
}

// ollamaPort is the default port of an Ollama server.
const ollamaPort = "11434"

// ollamaAddress parses OLLAMA_HOST as Ollama does: a host, a host with a port, or an address. If a server listens on all
// interfaces, the result is the address of this machine.
func ollamaAddress(value string) string {
	value = strings.Trim(value, `"'`)
	scheme, rest, ok := strings.Cut(value, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", value, ollamaPort
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(hostport)
	if err != nil {
		host, given = strings.Trim(hostport, "[]"), ""
	}
	if n, err := strconv.ParseUint(given, 10, 16); err == nil {
		port = strconv.FormatUint(n, 10)
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: strings.TrimSuffix(path, "/")}
	return u.String()
}
