package cli

import (
	"path/filepath"

	"github.com/idelchi/aura/internal/check"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/install"
)

// checkPlugin returns the checker that inspects a plugin's source before the plugin is installed.
func checkPlugin(c *config.Config, unsafe bool) install.Checker {
	o := check.Options{Unsafe: unsafe || c.Features.Plugins.Unsafe}
	return func(dir string) (warnings, faults []install.Finding) {
		for _, f := range check.Dir(dir, o) {
			found := install.Finding{File: f.File, Line: f.Line, Message: f.Message}
			if rel, err := filepath.Rel(dir, f.File); err == nil && filepath.IsLocal(rel) {
				found.File = filepath.ToSlash(rel)
			}
			if f.Fix != "" {
				found.Message += "; " + f.Fix
			}
			if f.Severity == check.Error {
				faults = append(faults, found)
			} else {
				warnings = append(warnings, found)
			}
		}
		return warnings, faults
	}
}
