package interp

import (
	"testing"

	"github.com/idelchi/aura/shared"
)

// runTree loads a plugin of several files, which has the package tree, and returns what its function program prints.
func runTree(t *testing.T, files string) string {
	t.Helper()
	stdout := output(t)
	dir := unpack(t, `-- plugin.yaml --
description: test
-- plugin.go --
package tree

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "program", Description: "runs the program"} }

func ExecuteCommand(context.Context, string, sdk.Context) (sdk.CommandResult, error) {
	program()
	return sdk.CommandResult{}, nil
}
`+files)
	p, err := Load(Options{Name: "tree", Dir: dir, Stdout: stdout, Stderr: output(t)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Command(t.Context(), shared.CommandCall{Name: "program"}); err != nil {
		t.Fatal(err)
	}
	return read(t, stdout)
}

// TestLanguage runs loops in the language that the go line names.
func TestLanguage(t *testing.T) {
	t.Parallel()
	const loops = `
-- program.go --
package tree

import "fmt"

type point struct{ x int }

func program() {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, p := range []point{{1}, {2}} {
		fs = append(fs, func() int { return p.x })
	}
	for k := range "abc" {
		fs = append(fs, func() int { return k })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
}
`
	for name, tt := range map[string]struct{ line, want string }{
		"before Go 1.22":  {"\ngo 1.21\n", "13 23 33 2 2 2 2 2 "},
		"since Go 1.22":   {"\ngo 1.22\n", "10 11 12 1 2 0 1 2 "},
		"without a line":  {"", "10 11 12 1 2 0 1 2 "},
		"of a later date": {"\ngo 1.99\n", "10 11 12 1 2 0 1 2 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := runTree(t, "-- go.mod --\nmodule tree\n"+tt.line+loops); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestInternalPackages runs a plugin whose packages import each other across directories named internal.
func TestInternalPackages(t *testing.T) {
	t.Parallel()
	got := runTree(t, `
-- go.mod --
module example.com/p/tree
-- model/model.go --
package model

type Item struct {
	Name string
	Tags []string
}

func (i Item) String() string { return i.Name }
-- internal/store/store.go --
package store

import (
	"example.com/p/tree/internal/store/model"
	items "example.com/p/tree/model"
)

type Store struct{ items map[string]*items.Item }

func New() *Store { return &Store{map[string]*items.Item{}} }

func (s *Store) Put(i items.Item) model.Key { s.items[i.Name] = &i; return model.Key{N: len(s.items)} }
-- internal/store/model/key.go --
package model

type Key struct{ N int }
-- internal/model/view.go --
package model

import base "example.com/p/tree/model"

type View struct{ base.Item }

func Of(i base.Item) View { return View{i} }
-- program.go --
package tree

import (
	"fmt"

	views "example.com/p/tree/internal/model"
	"example.com/p/tree/internal/store"
	"example.com/p/tree/model"
)

func program() {
	s := store.New()
	fmt.Println(s.Put(model.Item{Name: "a"}), s.Put(model.Item{Name: "b"}), views.Of(model.Item{Name: "c"}))
}
`)
	if want := "{1} {2} c\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFunctionTypes runs a plugin of which two packages describe one function type.
func TestFunctionTypes(t *testing.T) {
	t.Parallel()
	got := runTree(t, `
-- go.mod --
module tree
-- calls/calls.go --
package calls

import "reflect"

type Call struct{ Do func(args ...any) (any, error) }

func (c *Call) Type() reflect.Type { return reflect.TypeOf(c.Do) }

func Is(v any) bool {
	_, ok := v.(func(params ...any) (any, error))
	return ok
}
-- program.go --
package tree

import (
	"fmt"
	"reflect"

	"tree/calls"
)

func program() {
	c := &calls.Call{Do: func(p ...any) (any, error) { return len(p), nil }}
	fmt.Println(c.Type(), c.Type().NumIn(), c.Type().NumOut(), reflect.TypeOf(c.Do) == c.Type(), calls.Is(c.Do))
}
`)
	if want := "func(...interface {}) (interface {}, error) 1 2 true true\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
