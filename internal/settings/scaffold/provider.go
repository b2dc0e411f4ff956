package scaffold

import (
	"fmt"
	"os"
	"path/filepath"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/files"
)

// Provider is a provider as a file of the user's home describes it.
type Provider struct {
	Type string `yaml:"type"`
	URL  string `yaml:"url,omitempty"`
	// Token is the key of the service, or ${NAME} for a variable.
	Token string `yaml:"token,omitempty"`
	Model string `yaml:"model,omitempty"`
}

// WriteProvider writes a provider to a new file below the user's home and returns its path. Only the user can read the file. It fails
// if the file exists.
func WriteProvider(home, name string, p Provider) (string, error) {
	data, err := yaml.Marshal(map[string]Provider{name: p})
	if err != nil {
		return "", fmt.Errorf("encoding provider %q: %w", name, err)
	}
	path := filepath.Join(home, "config", "providers", name+".yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("saving provider %q: %w", name, err)
	}
	if err := files.Create(path, data, 0o600); err != nil {
		return "", fmt.Errorf("saving provider %q: %w; choose the provider with --provider, or change that file", name, err)
	}
	return path, nil
}
