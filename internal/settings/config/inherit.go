package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

const (
	inheritKey  = "inherit"
	featuresKey = "features"
)

// ownKeys lists the keys that are never inherited: the name of an entity, its parents, and whether it is the default.
var ownKeys = []string{"name", inheritKey, "default"}

// declaration is a part of a file: an entity as written, before it inherits from others.
type declaration struct {
	document

	name string
	// keys is the path of the entity within the file.
	keys    []string
	parents []string
	// file is the decoded value, of the file type that settle uses.
	file any
}

// node returns the declaration as a flat tree. The tree is empty if nothing is declared.
func (d declaration) node() *yaml.Node {
	if n := d.get(d.keys...); n != nil {
		return flat(n)
	}
	return &yaml.Node{}
}

// below returns the part of the declaration at a key.
func (d declaration) below(key string) declaration {
	d.keys = d.path(key)
	return d
}

func (d declaration) path(keys ...string) []string { return slices.Concat(d.keys, keys) }

// wrong returns an error about the value at a path of keys below the declaration.
func (d declaration) wrong(path []string, format string, args ...any) error {
	return d.fault(d.path(path...), format, args...)
}

// wrongItem returns an error about an item of the list at a key below the declaration.
func (d declaration) wrongItem(key string, i int, err error) error {
	line := d.line(d.path(key)...)
	if list := aliased(d.find(d.path(key)...)); list.Kind == yaml.SequenceNode && i < len(list.Content) {
		line = list.Content[i].Line
	}
	return d.faultAt(line, d.path(fmt.Sprintf("%s[%d]", key, i)), "%w", err)
}

// lineage holds the declarations that are combined into an entity, lowest precedence first. The entity's own declaration is last.
type lineage []declaration

// over returns the lineage with more placed above it. A declaration that is in both moves up, because it sets all its values
// again there.
func (l lineage) over(more lineage) lineage {
	rest := slices.DeleteFunc(slices.Clone(l), func(d declaration) bool {
		return slices.ContainsFunc(more, func(m declaration) bool { return m.name == d.name })
	})
	return append(rest, more...)
}

// node returns the combined declarations. Explicit settings take precedence over inherited ones.
func (l lineage) node() *yaml.Node {
	var out *yaml.Node
	for i, d := range l {
		own := d.node()
		if i < len(l)-1 {
			own = without(own, ownKeys...)
		}
		out = overlay(out, own)
	}
	return out
}

// combined decodes the combined declarations into the file type F. It also returns the settings of features.
func combined[F any](l lineage) (F, map[string]any, error) {
	own := l.own()
	file, read := own.file.(F)
	n := l.node()
	if !read || len(l) > 1 {
		file = *new(F)
		if err := strictyaml.DecodeNode(own.File, n, &file); err != nil {
			return file, nil, err
		}
	}
	var features map[string]any
	err := decodeSet(own.File, value(n, featuresKey), &features)
	return file, features, err
}

// body returns the text of the last file that has one.
func (l lineage) body() string {
	for _, d := range slices.Backward(l) {
		if body := strings.TrimSpace(d.body); body != "" {
			return body
		}
	}
	return ""
}

// place returns the location of the body. It is the zero value if there is no body.
func (l lineage) place() Place {
	for _, d := range slices.Backward(l) {
		if strings.TrimSpace(d.body) != "" {
			return Place{Source: d.Source, Line: d.bodyLine}
		}
	}
	return Place{}
}

// own returns the entity's own declaration.
func (l lineage) own() declaration { return l[len(l)-1] }

// at returns the declaration whose value at a path of keys takes effect. It is empty if no declaration sets the value.
func (l lineage) at(path ...string) declaration {
	for _, d := range slices.Backward(l) {
		if d.get(d.path(path...)...) != nil {
			return d
		}
	}
	return declaration{}
}

// family holds all entities of a kind whose inheritance is to be resolved.
type family struct {
	kind    string
	members map[string]declaration
	// settled caches the lineages that are already known, so that each is computed once.
	settled map[string]lineage
}

// resolveInheritance resolves the inheritance of all entities of a kind and builds each from its lineage.
func resolveInheritance[T any](ld *loader, kind string, members map[string]declaration, build func(lineage) (T, error)) (map[string]T, error) {
	f := family{kind: kind, members: members, settled: map[string]lineage{}}
	out := make(map[string]T, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value, err := inherited(f, name, build)
		if err == nil {
			out[name] = value
		} else if err = ld.faulty(kind, members[name].Source, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inherited builds one entity from its lineage.
func inherited[T any](f family, name string, build func(lineage) (T, error)) (none T, err error) {
	l, err := f.lineage(name, nil)
	if err != nil {
		return none, err
	}
	return build(l)
}

// lineage follows the parents of an entity, from left to right. chain holds the names that lead to the entity.
func (f family) lineage(name string, chain []string) (lineage, error) {
	if l, ok := f.settled[name]; ok {
		return l, nil
	}
	own := f.members[name]
	chain = append(slices.Clone(chain), name)
	var l lineage
	for i, parent := range own.parents {
		if err := f.check(own, i, chain); err != nil {
			return nil, err
		}
		above, err := f.lineage(parent, chain)
		if err != nil {
			return nil, err
		}
		l = l.over(above)
	}
	l = append(l, own)
	f.settled[name] = l
	return l, nil
}

// check refuses a parent that does not exist or that inherits from its own child.
func (f family) check(own declaration, i int, chain []string) error {
	parent, path := own.parents[i], own.path(inheritKey)
	line := own.line(path...)
	if list := aliased(own.find(path...)); list.Kind == yaml.SequenceNode && i < len(list.Content) {
		line = list.Content[i].Line
	}
	way := strings.Join(append(slices.Clone(chain), parent), " -> ")
	if slices.Contains(chain, parent) {
		return own.faultAt(line, path, "%s %q inherits from itself: %s", f.kind, parent, way)
	}
	if _, ok := f.members[parent]; !ok {
		return own.faultAt(line, path, "unknown %s %q (%s); known: %s", f.kind, parent, way, names(f.members))
	}
	return nil
}

func names[T any](of map[string]T) string {
	if len(of) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}
