package archtest_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// violations returns a sentence for each violation of the rules, in the order of the files.
func violations(files []source) []string {
	var found []string
	for _, f := range files {
		for _, imported := range f.imports {
			found = append(found, checkImport(f, imported)...)
		}
	}
	return append(found, checkPackages(files)...)
}

// checkImport checks one import. Test files may import any of our packages; a reserved library stays reserved.
func checkImport(f source, imported string) []string {
	var found []string
	report := func(rule string) {
		found = append(found, fmt.Sprintf("%s imports %q: %s", f.file, imported, rule))
	}
	own, isOwn := ownDir(imported)
	if !isOwn || !f.test {
		if owners := reservation(imported); owners != nil && !inside(f.dir, owners) {
			report("reserved for " + strings.Join(owners, " and "))
		}
	}
	if f.test {
		return found
	}
	if inside(f.dir, standardOnly) && !isStandard(imported) && !inside(own, standardOnly) {
		report("this tree imports the standard library only")
	}
	if allowed, known := room(f.dir); isOwn && known && !mayImport(allowed, own) {
		report(fmt.Sprintf("the row of %s allows %v", f.dir, allowed))
	}
	return found
}

// checkPackages checks that each directory has a row in the table and a package comment.
func checkPackages(files []source) []string {
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.dir] = documented[f.dir] || f.documents && !f.test
	}
	var found []string
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if _, known := room(dir); !known {
			found = append(found, dir+": no row in the table of internal/lab/archtest/rules_test.go says what it may import")
		}
		if !documented[dir] {
			found = append(found, dir+": no file other than a test has a package comment")
		}
	}
	return found
}

// room returns the row of a directory.
func room(dir string) ([]string, bool) {
	if row, ok := rooms[dir]; ok {
		return row, true
	}
	for pattern, row := range rooms {
		if ok, _ := path.Match(pattern, dir); ok {
			return row, true
		}
	}
	return nil, false
}

func mayImport(allowed []string, own string) bool {
	if len(allowed) > 0 && own == "internal/plugin/hookpoint" || own == "internal/base/files" || own == "internal/base/limit" {
		return true
	}
	return slices.ContainsFunc(allowed, func(entry string) bool {
		tree, whole := strings.CutSuffix(entry, "/...")
		return entry == anything || entry == own || whole && below(own, tree)
	})
}

// reservation returns the only packages that may import a path, or nil if every package may.
func reservation(imported string) []string {
	for tree, owners := range reserved {
		if below(imported, tree) {
			return owners
		}
	}
	return nil
}

// ownDir returns the directory of an import path of this module.
func ownDir(imported string) (string, bool) {
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

func inside(dir string, trees []string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return below(dir, tree) })
}

func below(name, tree string) bool {
	return name == tree || strings.HasPrefix(name, tree+"/")
}

// isStandard reports whether an import path belongs to the standard library: only there the first element has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
