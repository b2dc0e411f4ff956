package python

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/idelchi/aura/internal/base/files"
)

// projectFile declares the extensions and the dependencies of a directory.
const projectFile = "pyproject.toml"

// maxProject is the largest pyproject.toml, in bytes.
const maxProject = 1 << 20

// Project is the part of a pyproject.toml that matters for extensions.
type Project struct {
	// Extensions are sorted by name. Their Dir is empty.
	Extensions []Declared
	// Dependencies are the packages that the project needs, without Aar itself, whose modules aura provides.
	Dependencies []string
}

// ReadProject reads the pyproject.toml of a directory. If the file does not exist, the project declares nothing.
func ReadProject(dir string) (Project, error) {
	file := filepath.Join(dir, projectFile)
	text, err := files.Read(file, maxProject)
	if errors.Is(err, fs.ErrNotExist) {
		return Project{}, nil
	}
	if err != nil {
		return Project{}, fmt.Errorf("reading what extensions are declared: %w", err)
	}
	p, err := parseProject(text)
	if err != nil {
		return Project{}, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func parseProject(text []byte) (Project, error) {
	var d struct {
		Project struct {
			Dependencies []string                     `toml:"dependencies"`
			EntryPoints  map[string]map[string]string `toml:"entry-points"`
		} `toml:"project"`
	}
	if err := toml.Unmarshal(text, &d); err != nil {
		return Project{}, err
	}
	var p Project
	points := d.Project.EntryPoints["aar_extensions"]
	for _, name := range slices.Sorted(maps.Keys(points)) {
		module, function, _ := strings.Cut(points[name], ":")
		if function = strings.TrimSpace(function); function == "" {
			function = "register"
		}
		p.Extensions = append(p.Extensions, Declared{Name: name, Entry: strings.TrimSpace(module) + ":" + function})
	}
	for _, need := range d.Project.Dependencies {
		if name := distribution(need); name != "aar" && name != "aar-agent" {
			p.Dependencies = append(p.Dependencies, strings.TrimSpace(need))
		}
	}
	return p, nil
}

var (
	leadingName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*`) })
	separators  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-_.]+`) })
	dotted      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)*$`)
	})
)

// distribution returns the name of the package in a requirement, as packages are compared.
func distribution(requirement string) string {
	return strings.ToLower(separators().ReplaceAllString(leadingName().FindString(strings.TrimSpace(requirement)), "-"))
}

var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*[ \t]*(\[[A-Za-z0-9._, \t-]*\])?[^@:/\\\r\n]*$`)
})

// IsPlainRequirement reports whether a requirement names a package of an index, with extras, versions and conditions, and neither an
// address nor an option of an installer.
func IsPlainRequirement(requirement string) bool { return plain().MatchString(requirement) }

// split returns the module and the function of an entry.
func split(entry string) (module, function string, err error) {
	module, function, _ = strings.Cut(entry, ":")
	if !dotted().MatchString(module) || !dotted().MatchString(function) {
		return "", "", fmt.Errorf("%q is not a function: write module:function", entry)
	}
	return module, function, nil
}
