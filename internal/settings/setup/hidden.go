package setup

import (
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/hidden"
)

// hiddenRules returns the rules that hide files from confined processes.
func hiddenRules(c *config.Config, s config.Sandbox) *hidden.Rules {
	r := &hidden.Rules{Dir: withoutLinks(c.Workdir), Layers: s.Layers}
	for _, path := range slices.Concat(c.EnvFiles, s.EnvFiles) {
		// The file itself may be a link, which is followed when it is hidden.
		path = filepath.Join(withoutLinks(filepath.Dir(path)), filepath.Base(path))
		r.Files = append(r.Files, hidden.File{Path: path, Why: "it is an env file in use, which is hidden by default"})
	}
	return r
}

// withoutLinks follows the links of a path that exists.
func withoutLinks(path string) string {
	if end, err := filepath.EvalSymlinks(path); err == nil {
		return end
	}
	return filepath.Clean(path)
}
