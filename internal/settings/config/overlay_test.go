package config

import (
	"maps"
	"reflect"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/base/strictyaml"
)

// merged implements overlay in another way: on values instead of trees.
func merged(below, above any) any {
	b, isMap := below.(map[string]any)
	a, areMaps := above.(map[string]any)
	switch {
	case above == nil:
		return below
	case !isMap || !areMaps:
		return above
	}
	out := maps.Clone(b)
	for key, value := range a {
		if old, ok := out[key]; ok {
			value = merged(old, value)
		}
		out[key] = value
	}
	return out
}

// FuzzOverlay compares merged trees that pass the strict check with merged values.
func FuzzOverlay(f *testing.F) {
	for _, seed := range [][2]string{
		{"a: 1\nb: {c: 1, d: [1]}", "b: {c: 2, d: [2]}"},
		{"a: {b: 1}", "a:"},
		{"a:", "a: {b: 1}"},
		{"a: [1]", "a: {b: 1}"},
		{"x: &x {b: 1}\ny: *x", "y: {c: 1}\nz: &z {q: 1}\nw: {<<: *z, r: 2}"},
		{"w: {<<: [{a: 1}, {a: 2, b: 2, <<: {c: 3}}], b: 0}", "w: {c: 4}"},
		{"", "a: 1"},
		{"a: 1", ""},
		{"- a", "b"},
		{"&k a: 1", "*k : 2"},
		{"a: !!str 1", "\"<<\": {b: 1}"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		below, wantBelow, ok := tree(first)
		above, wantAbove, also := tree(second)
		if !ok || !also {
			return
		}
		before, err := yaml.Marshal([]*yaml.Node{below, above})
		if err != nil {
			return
		}
		var got any
		if err := strictyaml.DecodeNode("merged", overlay(below, above), &got); err != nil {
			t.Fatalf("the result cannot be read: %v", err)
		}
		if want := merged(wantBelow, wantAbove); !reflect.DeepEqual(got, want) {
			t.Errorf("got %#v, want %#v", got, want)
		}
		if after, err := yaml.Marshal([]*yaml.Node{below, above}); err != nil || string(after) != string(before) {
			t.Errorf("the trees have changed: %s, %v, was %s", after, err, before)
		}
	})
}

func tree(text string) (*yaml.Node, any, bool) {
	n, value := &yaml.Node{}, any(nil)
	if strictyaml.Decode("x", []byte(text), n) != nil || strictyaml.DecodeNode("x", n, &value) != nil {
		return nil, nil, false
	}
	return n, value, true
}
