package interp

import (
	"slices"

	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/shared"
)

// unread returns the names of the growing lists that the plugin cannot read.
func (s *source) unread() []string {
	packages := make([][][]byte, 0, len(s.packages))
	for _, p := range s.packages {
		var texts [][]byte
		for _, f := range p.files {
			texts = append(texts, f.text)
		}
		packages = append(packages, texts)
	}
	return pluginsource.Unread(packages, shared.Growing())
}

// collect returns what the files of the source hold, sorted, each value once.
func (s *source) collect(of func(sourceFile) []string) []string {
	var out []string
	for _, p := range s.packages {
		for _, f := range p.files {
			out = append(out, of(f)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
