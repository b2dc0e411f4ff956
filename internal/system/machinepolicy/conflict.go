package machinepolicy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// conflict returns an error for each two rules that cannot both hold.
func (p *Policy) conflict() error {
	var faults []error
	for _, key := range Table {
		faults = append(faults, p.different(key)...)
	}
	faults = append(faults, p.disjoint("modes", func(d *document) texts { return d.Modes }), p.disjoint("models", func(d *document) texts { return d.Models }))
	for _, r := range p.Required() {
		refused, ok := errors.AsType[*RefusalError](p.Plugin(r.Name, r.Origin))
		if ok {
			faults = append(faults, conflictError(refused.Rule, r.Rule))
		}
	}
	return errors.Join(faults...)
}

// different returns the conflicts of a key of which all values must be the same.
func (p *Policy) different(key Key) []error {
	if key.Together != Same {
		return nil
	}
	var faults []error
	var first *Rule
	for _, d := range p.all() {
		for _, r := range key.rules(&d) {
			if first == nil {
				first = &r
			} else if first.Text != r.Text {
				faults = append(faults, conflictError(*first, r))
			}
		}
	}
	return faults
}

// disjoint returns an error if two lists without patterns have nothing in common, so that nothing would be permitted.
func (p *Policy) disjoint(key string, of func(*document) texts) error {
	var common []string
	var by *Rule
	for _, d := range p.all() {
		v := of(&d)
		if v.Line == 0 || slices.ContainsFunc(v.Value, func(t text) bool { return strings.Contains(t.Value, "*") }) {
			continue
		}
		r := d.rule(key, v.Line, joined(v.Value))
		if by == nil {
			by = &r
			for _, t := range v.Value {
				common = append(common, t.Value)
			}
			continue
		}
		common = slices.DeleteFunc(common, func(name string) bool {
			return !slices.ContainsFunc(v.Value, func(t text) bool { return t.Value == name })
		})
		if len(common) == 0 {
			return conflictError(*by, r)
		}
	}
	return nil
}

func conflictError(a, b Rule) error {
	return &strictyaml.Error{File: b.File, Line: b.Line, Err: fmt.Errorf("key %q conflicts with %s:%d: %q and %q cannot both hold", b.Key, a.File, a.Line, b.Text, a.Text)}
}
