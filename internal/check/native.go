package check

import (
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/native"
)

// loader adds what the loader refuses in a plugin that is only compiled, in the loader's words.
func (c *checker) loader() {
	if !c.compiled() {
		return
	}
	others := c.found
	c.found = nil
	for _, err := range native.Check(c.dir, c.toolchain, c.options.Unsafe) {
		c.fault("native", c.dir, err)
	}
	refused := c.found
	c.found = others
	for _, f := range refused {
		known := slices.IndexFunc(others, func(other Finding) bool {
			return other.Severity == Error && (f.Line > 0 && other.File == f.File && other.Line == f.Line || strings.Contains(other.Message, f.Message))
		})
		f.Message, f.Fix, _ = strings.Cut(f.Message, "; ")
		switch {
		case known < 0:
			c.add(f)
		case strings.HasPrefix(others[known].Rule, "import-"):
			others[known].Message, others[known].Fix = f.Message, f.Fix
		}
	}
}
