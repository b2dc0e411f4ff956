package python

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// Check returns what the text of an extension shows to be wrong: most often that it has no function that registers it. It runs
// nothing. An installed package is not checked, because its interpreter found it.
func Check(p manifest.Plugin) error {
	if p.Err != nil {
		return p.Err
	}
	file, function, err := source(p)
	if err != nil || file == "" {
		return err
	}
	text, err := files.Read(file, files.MaxText)
	if err != nil {
		return fmt.Errorf("reading the extension: %w", err)
	}
	if !defines(string(text), function) {
		return fmt.Errorf("%s has no function %s, so it is not an extension: it needs 'def %[2]s(api)'", file, function)
	}
	return nil
}

// source returns the file that defines the function that registers an extension. The file is empty if the extension is an
// installed package.
func source(p manifest.Plugin) (file, function string, err error) {
	switch {
	case p.Entry == "" && strings.HasSuffix(p.Dir, ".py"):
		return p.Dir, "register", nil
	case p.Entry == "":
		return filepath.Join(p.Dir, initFile), "register", nil
	}
	module, function, err := split(p.Entry)
	dirs := sources(p)
	if err != nil || len(dirs) == 0 {
		return "", "", err
	}
	path := filepath.Join(strings.Split(module, ".")...)
	for _, dir := range dirs {
		for _, file := range []string{filepath.Join(dir, path+".py"), filepath.Join(dir, path, initFile)} {
			if exists(file) {
				return file, function, nil
			}
		}
	}
	return "", "", errors.New("there is no module " + module + " in " + p.Dir)
}

// defines reports whether a module has a top-level function, variable or import of a name. A module that imports all names of
// another may have any.
func defines(text, name string) bool {
	name, _, _ = strings.Cut(name, ".")
	quoted := regexp.QuoteMeta(name)
	pattern := `(?m)^(async[ \t]+)?def[ \t]+` + quoted + `[ \t]*\(|^` + quoted + `[ \t]*[:=]|^class[ \t]+` + quoted + `\b|` +
		`^[ \t]*(from[ \t].*)?import[ \t]([^#\n]*\b` + quoted + `\b|[ \t]*\*|[ \t]*\([^)]*\b` + quoted + `\b)`
	return regexp.MustCompile(pattern).MatchString(text)
}
