package machinepolicy

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"
)

// Together is how the values of a key in several files act together.
type Together string

// The ways in which values act together.
const (
	// Every means that what is permitted is permitted by the list of every file that has one.
	Every Together = "every list must permit it"
	// Any means that the lists of all files count together.
	Any Together = "the lists add up"
	// Strictest means that the strictest value counts.
	Strictest Together = "the strictest counts"
	// Same means that different values are a conflict.
	Same Together = "must be the same"
)

// Key is a key of a policy.
type Key struct {
	// Name is the path of the key in a file, with dots.
	Name     string
	Together Together
	// Restricts says what the key restricts.
	Restricts string
	// Enforced names where: the function that all ways pass.
	Enforced string
	// rules returns what a document says, one rule for each value.
	rules func(*document) []Rule
}

// Table has all keys, in the order of the documentation.
var Table = []Key{
	{"version", Strictest, "which versions of aura run", "machinepolicy.Read", func(d *document) []Rule { return d.one("version", d.Version) }},
	{"audit", Same, "where records of what happened go", "audit.Record", func(d *document) []Rule {
		a, ok := d.audit()
		if !ok {
			return nil
		}
		return []Rule{a.Rule}
	}},
	{"url", Same, "where a newer policy is fetched from", "", func(d *document) []Rule { return d.one("url", d.URL) }},
	{"key", Same, "who signs a policy that is fetched", "", func(d *document) []Rule { return d.one("key", d.Key) }},
}

// one returns the rule of a key with one value.
func (d *document) one(key string, v text) []Rule {
	if v.Line == 0 {
		return nil
	}
	return []Rule{d.rule(key, v.Line, v.Value)}
}

// Rules returns all rules of the policy, by file and line.
func (p *Policy) Rules() []Rule {
	var out []Rule
	for _, d := range p.all() {
		var of []Rule
		for _, key := range Table {
			of = append(of, key.rules(&d)...)
		}
		slices.SortStableFunc(of, func(a, b Rule) int { return a.Line - b.Line })
		out = append(out, of...)
	}
	return out
}

// check checks each value of a document.
func (d *document) check() error {
	return errors.Join(d.checkVersion(), d.checkAudit(), d.checkRemote())
}

func (d *document) checkVersion() error {
	if d.Version.Line != 0 && !semver.IsValid("v"+d.Version.Value) {
		return d.fault(d.Version.Line, fmt.Errorf(`key "version": %q is not a version such as 1.4.0`, d.Version.Value))
	}
	return nil
}

// Outdated returns the rule by which a version of aura is too old, or nil.
func (p *Policy) Outdated(version string) error {
	for _, d := range p.all() {
		if d.Version.Line != 0 && semver.Compare("v"+version, "v"+d.Version.Value) < 0 {
			return &RefusalError{What: "aura " + version + ": update aura", Rule: d.rule("version", d.Version.Line, "at least "+d.Version.Value)}
		}
	}
	return nil
}
