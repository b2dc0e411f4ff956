package sandbox

import (
	_ "embed" // for the list of secrets
	"strings"
	"sync"
)

//go:embed secrets.txt
var secretsText string

// secrets returns the paths below the home directory that stay out of reach even if the home directory is inside a granted
// tree.
var secrets = sync.OnceValue(func() []string {
	var out []string
	for line := range strings.Lines(secretsText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
})
