package setup

import (
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/redact"
)

// Secrets are the values that the configuration and the environment name as secret, and the running task.
func Secrets(c *config.Config, task map[string]string) *redact.Redactor {
	return redact.New(SecretValues(c, task)...)
}

// SecretValues are what Secrets replaces: variables whose names say so, tokens of providers, passwords in addresses, and the
// headers and variables of MCP servers.
func SecretValues(c *config.Config, task map[string]string) []string {
	values := append(redact.Environ(c.Environ), redact.Environ(assignments(task))...)
	for _, p := range c.Providers {
		values = append(append(values, p.Token), redact.Address(p.URL)...)
	}
	for _, m := range c.MCPServers {
		values = append(values, redact.Headers(m.Headers)...)
		values = append(values, redact.Environ(assignments(m.Env))...)
		values = append(values, redact.Address(m.URL)...)
	}
	return values
}

// assignments are variables as NAME=value.
func assignments(variables map[string]string) []string {
	var out []string
	for name, value := range variables {
		out = append(out, name+"="+value)
	}
	return out
}
