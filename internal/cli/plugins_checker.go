package cli

import (
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/internal/author/check"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/supply/install"
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
			list := &warnings
			if f.Severity == check.Error {
				list = &faults
			}
			// Two places in one line give equal findings.
			if !slices.Contains(*list, found) {
				*list = append(*list, found)
			}
		}
		return warnings, faults
	}
}
