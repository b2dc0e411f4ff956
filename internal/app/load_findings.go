package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	sourcecheck "github.com/idelchi/aura/internal/author/check"
)

// maxLoadFindings is how many findings are shown for a plugin that does not load; `aura plugins check` shows the rest.
const maxLoadFindings = 5

// loadFindings returns the errors that the check finds in a plugin, each once, other than those in lines that the load error names.
func loadFindings(spec host.Spec, loadError string) []string {
	var out []string
	for _, f := range sourcecheck.Dir(spec.Dir, sourcecheck.Options{Unsafe: spec.Unsafe}) {
		if f.Severity != sourcecheck.Error || f.Line > 0 && strings.Contains(loadError, fmt.Sprintf("%s:%d:", f.File, f.Line)) || strings.Contains(loadError, f.Message) {
			continue
		}
		place := f.File
		if rel, err := filepath.Rel(spec.Dir, f.File); err == nil {
			place = filepath.ToSlash(rel)
		}
		text := fmt.Sprintf("%s:%d: %s", place, f.Line, f.Message)
		if f.Fix != "" {
			text += "; " + f.Fix
		}
		if slices.Contains(out, text) {
			continue // two places in one line
		}
		if len(out) == maxLoadFindings {
			return append(out, fmt.Sprintf("there is more; run aura plugins check %s", spec.Name))
		}
		out = append(out, text)
	}
	return out
}
