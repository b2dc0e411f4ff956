package check

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/library"
	"github.com/idelchi/aura/internal/pluginsource"
)

// resolve finds the package of an import and reads the package if it is source.
func (c *checker) resolve(s *source, importer *sourcePackage, spec *ast.ImportSpec) {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	report := func(rule, message, fix string) {
		c.at(s, spec, Finding{Severity: Error, Rule: rule, Message: fmt.Sprintf("importing %q: %s", p, message), Fix: fix})
	}
	switch {
	case p == "C":
		report("import-cgo", "plugins cannot use cgo", "use a package without C")
	case pluginsource.IsRestricted(p):
		if !c.options.Unsafe {
			report("import-restricted", "plugins may not use this package in safe mode",
				`set "plugins: unsafe: true" in features/plugins.yaml or start aura with --unsafe-plugins`)
		}
	case library.Has(p):
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"):
		report("import-path", "relative imports do not exist in modules", fmt.Sprintf("write %q", path.Join(importer.path, p)))
	case path.Dir(p) == path.Base(p) && !c.compiled():
		report("import-path", fmt.Sprintf("the interpreter cannot tell %q from %q", p, path.Base(p)), "rename one of them")
	default:
		c.resolveSource(s, p, report)
	}
}

// resolveSource resolves an import that is neither part of the library nor of the SDK.
func (c *checker) resolveSource(s *source, p string, report func(rule, message, fix string)) {
	if known := s.byPath[p]; known != nil {
		if !known.done {
			report("import-cycle", "the packages import each other in a cycle", "move what both need to a third package")
		}
		return
	}
	if outside := pluginsource.Outside(c.dir, pluginsource.PackageDir(s.module, p)); outside != "" {
		c.missing = append(c.missing, p)
		report("import-path", outside, "")
		return
	}
	dir := c.dirOf(s, p)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		c.missing = append(c.missing, p)
		first, _, _ := strings.Cut(p, "/")
		switch {
		case s.owns(p):
			report("import-missing", "there is no directory "+dir, "create it, or correct the path")
		case !strings.Contains(first, ".") && c.compiled():
			// A package of the standard library that the interpreter lacks. If there is no such package, the compiler says so.
		case !strings.Contains(first, "."):
			report("import-unavailable",
				fmt.Sprintf("not in the interpreter's standard library (that of Go 1.%d without special packages) and not vendored", pluginsource.LanguageMinor),
				`do without it; if it is a dependency, run "go mod vendor" in the plugin's directory`)
		default:
			report("import-missing", "not vendored", `run "go mod vendor" in the plugin's directory`)
		}
		return
	}
	if got := c.load(s, p); len(got.files) == 0 && got.whole {
		report("import-missing", "no Go files for this system in "+dir, "")
	}
}
