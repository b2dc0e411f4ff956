package archtest_test

import (
	"fmt"
	"maps"
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
		if owners := reservation(imported); owners != nil && !within(f.dir, owners) {
			report("reserved for " + strings.Join(owners, " and "))
		}
	}
	if f.test {
		return found
	}
	if within(f.dir, standardOnly) && !isStandard(imported) && !within(own, standardOnly) {
		report("this tree imports the standard library only")
	}
	if rule := crossing(f.dir, own); isOwn && rule != "" {
		report(rule)
	}
	return found
}

// crossing says why one of our packages may not import another; empty if it may.
func crossing(from, to string) string {
	at, row := district(from)
	target, below := district(to)
	switch {
	case slices.Contains(outside, at) || at == "" || target == "":
		return "" // checkPackages reports a package without a district
	case slices.Contains(outside, target):
		return "only tests and tools import " + target
	case at == target && from != to && !slices.Contains(inside[at][local(from, at)], local(to, at)):
		return fmt.Sprintf("inside of %s, %s may import %v", at, local(from, at), inside[at][local(from, at)])
	case at != target && below <= row:
		return fmt.Sprintf("%s is not below %s", target, at)
	default:
		return ""
	}
}

// district returns the district of a package and its row; an empty name if it is in none.
func district(dir string) (name string, row int) {
	for row, names := range append(slices.Clone(districts), outside) {
		for _, name := range names {
			if below(dir, name) {
				return name, row
			}
		}
	}
	return "", 0
}

// local returns a package's path in its district.
func local(dir, district string) string {
	if dir == district {
		return "."
	}
	return strings.TrimPrefix(dir, district+"/")
}

// checkPackages checks that each directory is in a district and has a package comment.
func checkPackages(files []source) []string {
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.dir] = documented[f.dir] || f.documents && !f.test
	}
	var found []string
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if name, _ := district(dir); name == "" {
			found = append(found, dir+": in no district of internal/lab/archtest/rules_test.go")
		}
		if !documented[dir] {
			found = append(found, dir+": no file other than a test has a package comment")
		}
	}
	return found
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

func within(dir string, trees []string) bool {
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
