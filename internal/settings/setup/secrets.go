package setup

import (
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/settings/config"
)

// Secrets returns a redactor for the secret values of the configuration, the environment and the running task.
func Secrets(c *config.Config, task map[string]string) *redact.Redactor {
	return redact.New(SecretValues(c, task)...)
}

// SecretValues returns the values that Secrets replaces: variables whose names mark them as secret, tokens of providers,
// passwords in addresses, the headers and variables of MCP servers, and the headers for the collector of traces.
func SecretValues(c *config.Config, task map[string]string) []string {
	values := append(redact.Environ(c.Environ), redact.Environ(assignments(task))...)
	values = append(values, telemetry.Secrets()...)
	for _, p := range c.Providers {
		values = append(append(values, p.Token), redact.Address(p.URL)...)
	}
	for _, m := range c.MCPServers {
		values = append(values, redact.Headers(m.Headers)...)
		values = append(values, m.Auth.ClientSecret)
		values = append(values, Logins(c).Secrets(m.URL)...)
		values = append(values, redact.Environ(assignments(m.Env))...)
		values = append(values, redact.Address(m.URL)...)
	}
	return values
}

// assignments returns variables in the form NAME=value.
func assignments(variables map[string]string) []string {
	var out []string
	for name, value := range variables {
		out = append(out, name+"="+value)
	}
	return out
}
