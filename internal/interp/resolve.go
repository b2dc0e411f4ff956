package interp

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/library"
	"github.com/idelchi/aura/internal/pluginsource"
)

// resolve checks that an import is available: from aura, from the plugin's module, from vendor or from the standard library.
func (s *source) resolve(importer *sourcePackage, spec importSpec) error {
	switch p := spec.path; {
	case library.IsGeneric(p):
		return nil
	case p == pluginsource.SDKPath || p == pluginsource.SDKPath+"/version":
		return nil
	case isStandard(p), s.unsafe && pluginsource.IsRestricted(p):
		if !slices.Contains(s.standard, p) {
			s.standard = append(s.standard, p)
		}
		return nil
	case pluginsource.IsRestricted(p):
		return restrictedError(spec)
	case strings.HasPrefix(p, "./"), strings.HasPrefix(p, "../"):
		return fmt.Errorf("%s: importing %q: relative imports do not exist in modules, write %q", spec.where, p, path.Join(importer.path, p))
	case path.Dir(p) == path.Base(p):
		return fmt.Errorf("%s: importing %q: the interpreter cannot tell %[2]q from %q, rename one of them", spec.where, p, path.Base(p))
	case s.outside(p) != "":
		return fmt.Errorf("%s: importing %q: %s", spec.where, p, s.outside(p))
	case s.has(p):
		return s.add(p, spec)
	default:
		return s.missingError(spec)
	}
}

func restrictedError(spec importSpec) error {
	return fmt.Errorf("%s: importing %q: plugins may not use this package in safe mode; to allow it for all plugins set "+
		"\"plugins: unsafe: true\" in features/plugins.yaml or start aura with --unsafe-plugins", spec.where, spec.path)
}

func (s *source) missingError(spec importSpec) error {
	if s.owns(spec.path) {
		return fmt.Errorf("%s: importing %q: there is no directory %s", spec.where, spec.path, s.dirOf(spec.path))
	}
	first, _, _ := strings.Cut(spec.path, "/")
	if !strings.Contains(first, ".") {
		return fmt.Errorf("%s: importing %q: not in the interpreter's standard library (that of Go 1.%d without special packages) and not vendored; "+
			"if it is a dependency, run \"go mod vendor\" in the plugin's directory", spec.where, spec.path, pluginsource.LanguageMinor)
	}
	return fmt.Errorf("%s: importing %q: not vendored; run \"go mod vendor\" in the plugin's directory", spec.where, spec.path)
}
