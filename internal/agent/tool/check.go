package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limits of one check. The unit of work is one byte read. Matching a pattern costs its instructions times the bytes. Slower
// operations count more. All of the work takes about a second.
const (
	maxCheckSteps = 1 << 18
	maxCheckDepth = 1000
	maxCheckWork  = 1 << 26
	// problemWork is the work of describing a problem. problemByte is the additional work for each byte of the description.
	problemWork = 2048
	problemByte = 8
)

// review is the state of one check of arguments.
type review struct {
	steps, depth, work int
	// exhausted is set once a limit was exceeded. The result of the check is then invalid.
	exhausted bool
}

// spend adds work and reports whether the check may continue.
func (r *review) spend(work int) bool {
	r.work += work
	r.exhausted = r.exhausted || r.work > maxCheckWork
	return !r.exhausted
}

// check lists the problems of a value. at is the path of the value in the arguments, such as "files.0".
func (r *review) check(n *node, value any, at string) []string {
	r.steps++
	r.exhausted = r.exhausted || r.steps > maxCheckSteps || r.depth >= maxCheckDepth
	if !r.spend(len(at) + width(value)) {
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if n.never {
		return []string{field(at) + " is not allowed"}
	}
	value, kind := known(value)
	if kind == "" {
		return []string{fmt.Sprintf("%s: invalid jsonType %T", field(at), value)}
	}
	if !n.takes(kind, value) {
		return []string{fmt.Sprintf("%s must be %s, not %s", field(at), strings.Join(n.types, " or "), kind)}
	}
	out := r.facts(n, value, at)
	switch value := value.(type) {
	case map[string]any:
		out = append(out, r.object(n, value, at)...)
	case []any:
		out = append(out, r.array(n, value, at)...)
	}
	return append(out, r.combined(n, value, at)...)
}

// width estimates the work of inspecting a value without its elements.
func width(value any) int {
	switch value := value.(type) {
	case string:
		return len(value)
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	default:
		return 0
	}
}

// facts checks the keywords that concern the value itself.
func (r *review) facts(n *node, value any, at string) []string {
	var out []string
	for _, f := range n.facts {
		if f.work != nil && !r.spend(f.work(value)) {
			return nil
		}
		holds, work := f.holds(value)
		if !r.spend(work) {
			return nil
		}
		if !holds {
			problem := spaced(field(at), f.words(value))
			r.spend(problemWork + problemByte*len(problem))
			out = append(out, problem)
		}
	}
	return out
}

// fits reports whether the value has no problems.
func (r *review) fits(n *node, value any) bool {
	return len(r.check(n, value, "")) == 0 && !r.exhausted
}

// known returns a value and the name of its JSON type. The name is empty if the value has no JSON type.
func known(value any) (any, string) {
	switch v := value.(type) {
	case nil:
		return v, "null"
	case bool:
		return v, "boolean"
	case string:
		return v, "string"
	case []any:
		return v, "array"
	case map[string]any:
		return v, "object"
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v, ""
		}
		return f, "number"
	}
	if f, ok := measured(value); ok && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return value, "number"
	}
	return value, ""
}

func (n *node) takes(kind string, value any) bool {
	if len(n.types) == 0 || slices.Contains(n.types, kind) {
		return true
	}
	f, ok := measured(value)
	return ok && f == math.Trunc(f) && slices.Contains(n.types, "integer")
}

func (r *review) object(n *node, value map[string]any, at string) []string {
	var out []string
	r.spend(len(n.dependent) + len(n.implied))
	missing := func(names []string) {
		for _, name := range names {
			if _, ok := value[name]; !ok && r.spend(problemWork+problemByte*(len(at)+len(name))) {
				out = append(out, fmt.Sprintf("missing required field %q", inside(at, name)))
			}
		}
	}
	missing(n.required)
	for name, needs := range n.dependent {
		if _, ok := value[name]; ok {
			missing(needs)
		}
	}
	for name, implied := range n.implied {
		if _, ok := value[name]; ok {
			out = append(out, r.check(implied, value, at)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		out = append(out, r.property(n, name, value[name], inside(at, name))...)
	}
	return append(out, r.leftover(n, value, at)...)
}

// property checks one property of an object.
func (r *review) property(n *node, name string, value any, at string) []string {
	var out []string
	schemas := r.about(n, name)
	for _, schema := range schemas {
		out = append(out, r.check(schema, value, at)...)
	}
	if n.names != nil && !r.fits(n.names, name) {
		out = append(out, fmt.Sprintf("field %q: its name is not allowed", at))
	}
	if len(schemas) > 0 || n.additional == nil {
		return out
	}
	return append(out, r.other(n.additional, value, at)...)
}

// other checks a property that no schema mentions by name.
func (r *review) other(n *node, value any, at string) []string {
	if n.never {
		return []string{fmt.Sprintf("unknown field %q", at)}
	}
	return r.check(n, value, at)
}

// about returns the schemas for a property with the given name.
func (r *review) about(n *node, name string) []*node {
	var out []*node
	if schema, ok := n.properties[name]; ok {
		out = append(out, schema)
	}
	for _, p := range n.patterns {
		if r.spend(p.name.work(name)) && p.name.MatchString(name) {
			out = append(out, p.schema)
		}
	}
	return out
}

// leftover checks the properties that neither the schema nor a schema combined with it evaluates.
func (r *review) leftover(n *node, value map[string]any, at string) []string {
	if n.unevaluated == nil || n.additional != nil {
		return nil
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !r.evaluates(n, name, value) {
			out = append(out, r.other(n.unevaluated, value[name], inside(at, name))...)
		}
	}
	return out
}

// evaluates reports whether a schema, or a schema combined with it, applies to a property.
func (r *review) evaluates(n *node, name string, value map[string]any) bool {
	if n.additional != nil || len(r.about(n, name)) > 0 {
		return true
	}
	also := slices.Concat(n.all, n.some, n.one)
	for _, one := range []*node{n.ref, n.when, n.then, n.els} {
		if one != nil {
			also = append(also, one)
		}
	}
	for trigger, implied := range n.implied {
		if _, ok := value[trigger]; ok {
			also = append(also, implied)
		}
	}
	return slices.ContainsFunc(also, func(other *node) bool {
		return r.fits(other, value) && (other.unevaluated != nil || r.evaluates(other, name, value))
	})
}

func (r *review) array(n *node, value []any, at string) []string {
	var out []string
	fitting := 0
	for i, element := range value {
		place := inside(at, strconv.Itoa(i))
		switch {
		case i < len(n.prefix):
			out = append(out, r.check(n.prefix[i], element, place)...)
		case n.items != nil:
			out = append(out, r.check(n.items, element, place)...)
		}
		if n.contains != nil && r.fits(n.contains, element) {
			fitting++
		}
	}
	if n.contains != nil && (fitting < n.least || n.most >= 0 && fitting > n.most) {
		out = append(out, fmt.Sprintf("%s: %d of its elements fit contains", field(at), fitting))
	}
	return out
}

// combined checks the other schemas that apply to the same value.
func (r *review) combined(n *node, value any, at string) []string {
	var out []string
	if n.ref != nil {
		out = r.check(n.ref, value, at)
	}
	for _, part := range n.all {
		out = append(out, r.check(part, value, at)...)
	}
	if n.some != nil {
		if problems, fitting := r.each(n.some, value, at); fitting == 0 {
			out = append(out, problems...)
		}
	}
	if n.one != nil {
		switch problems, fitting := r.each(n.one, value, at); {
		case fitting == 0:
			out = append(out, problems...)
		case fitting > 1:
			out = append(out, fmt.Sprintf("%s: it fits %d of the schemas of oneOf, of which one is allowed", field(at), fitting))
		}
	}
	if n.not != nil && r.fits(n.not, value) {
		out = append(out, field(at)+": it fits the schema of not")
	}
	if n.when != nil {
		branch := n.els
		if r.fits(n.when, value) {
			branch = n.then
		}
		if branch != nil {
			out = append(out, r.check(branch, value, at)...)
		}
	}
	return out
}

// each counts the schemas that the value matches and lists the problems with the others.
func (r *review) each(schemas []*node, value any, at string) (problems []string, fitting int) {
	for _, schema := range schemas {
		found := r.check(schema, value, at)
		problems = append(problems, found...)
		if len(found) == 0 {
			fitting++
		}
	}
	if fitting == 0 && len(problems) == 0 {
		problems = []string{field(at) + ": nothing is allowed"}
	}
	return problems, fitting
}

// inside returns the path of name below at.
func inside(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func field(at string) string {
	if at == "" {
		return "the arguments"
	}
	return fmt.Sprintf("field %q", at)
}

// spaced joins the subject and the words with a space, unless the words begin with a colon.
func spaced(subject, words string) string {
	if strings.HasPrefix(words, ":") {
		return subject + words
	}
	return subject + " " + words
}
