package sandbox

import (
	_ "embed" // for the list of secrets
	"strings"
	"sync"
)

//go:embed secrets.txt
var secretsText string

// secrets are what stays out of reach even if the home directory lies inside a tree that is granted.
var secrets = sync.OnceValue(func() []string {
	var out []string
	for line := range strings.Lines(secretsText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
})
