package interp

import (
	"testing"
)

// TestEvaluate loads plugins whose hook returns the message in want.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ source, want string }{
		"several files in any order": {
			source: hook + `
-- a.go --
package my_plugin

import ("context"; "github.com/idelchi/aura/sdk")

func message(context.Context, sdk.BeforeChatContext) string { return greeting }
-- z.go --
package my_plugin

const greeting = "hello"
`, want: "hello",
		},
		"calls that a vendored package may not make": {
			source: hook + `
-- a.go --
package my_plugin

import ("context"; "fmt"; "strings"; "example.com/x"; "github.com/idelchi/aura/sdk")

func message(context.Context, sdk.BeforeChatContext) string {
	return fmt.Sprint(x.Wrap(1), " ", x.Reached(), " ", strings.TrimPrefix(x.Caught(), "vendor/"))
}
-- vendor/example.com/x/x.go --
package x

import ("encoding/asn1"; "fmt"; "runtime"; "strings")

type node struct{ n int }

func text(n *node) (string, error) {
	b, err := asn1.Marshal(n)
	return string(b), err
}

func free(n *node) { runtime.SetFinalizer(n, func(*node) {}) }

func Wrap(n int) string {
	pcs := make([]uintptr, 8)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	f, more := frames.Next()
	return fmt.Sprint(n, f.Function == "", more, runtime.FuncForPC(pcs[0]) == nil)
}

func try(f func()) (out string) {
	defer func() {
		if v := recover(); v != nil {
			out = fmt.Sprint(v)
		}
	}()
	f()
	return "nothing"
}

func Reached() string {
	n := &node{}
	var out []string
	for _, f := range []func(){func() { text(n) }, func() { free(n) }} {
		_, after, _ := strings.Cut(try(f), "x.go:")
		line, _, _ := strings.Cut(after, ":")
		out = append(out, line)
	}
	return strings.Join(out, ",")
}

func Caught() string {
	_, after, _ := strings.Cut(try(func() { free(nil) }), ": ")
	return after[:len("the interpreter keeps values")]
}
`, want: "1 true false true 8,12 the interpreter keeps values",
		},
		"files of the same name with generic functions": {
			source: hook + `
-- a.go --
package my_plugin

import ("context"; "github.com/idelchi/aura/sdk"; "my-plugin/sub"; "my-plugin/sub/deep")

func message(context.Context, sdk.BeforeChatContext) string { return sub.Join(sub.Of(1, 2), deep.Show[int]) }
-- sub/main.go --
package sub

import "strings"

type List[T any] struct{ items []T }

func Of[T any](items ...T) *List[T] { return &List[T]{items} }

func (l *List[T]) each(f func(T)) { for _, item := range l.items { f(item) } }

func Join[T any](l *List[T], f func(T) string) string {
	var out []string
	l.each(func(item T) { out = append(out, f(item)) })
	return strings.Join(out, "+")
}
-- sub/deep/main.go --
package deep

import "fmt"

func Show[T any](v T) string { return fmt.Sprintf("<%v>", v) }
`, want: "<1>+<2>",
		},
		"tests and other systems are left out": {
			source: hook + `
func message(context.Context, sdk.BeforeChatContext) string { return system() }
-- main_test.go --
package my_plugin_test

import "no/such/package"
-- system_windows.go --
package my_plugin

func system() string { return "windows" }
-- system_other_darwin.go --
package my_plugin

func system() string { return "darwin" }
-- ignored.go --
//go:build ignore

package main
-- old.go --
// +build ignore

package main
-- both.go --
//go:build purego && !cgo && go1.22
// +build nothing

package my_plugin

func system() string { return "any" }
-- later.go --
//go:build go1.23

package my_plugin

import "iter"
`, want: "any",
		},
		"a byte order mark": {
			source: hook + "func message(context.Context, sdk.BeforeChatContext) string { return bom }\n" +
				"-- bom.go --\n\xef\xbb\xbfpackage my_plugin\n\nconst bom = \"bom\"\n",
			want: "bom",
		},
		"a standard package whose path ends in a version": {
			source: hook + `
-- message.go --
package my_plugin

import (
	"context"
	"math/rand/v2"

	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string { return "dice"[rand.IntN(1):] }
`, want: "dice",
		},
		"packages of the own module": {
			source: `
-- go.mod --
module example.com/deep/my-plugin
-- main.go --
package my_plugin

import (
	"context"

	"example.com/deep/my-plugin/internal/words"
	"github.com/idelchi/aura/sdk"
)

func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: words.Hello()}, nil
}
-- internal/words/words.go --
package words

import "example.com/deep/my-plugin/internal/words/more"

func Hello() string { return more.Prefix + "hello" }
-- internal/words/more/my-plugin.go --
package more

const Prefix = "own "
`, want: "own hello",
		},
		"vendored packages that import each other and share names": {
			source: hook + `
-- message.go --
package my_plugin

import (
	"context"

	"example.com/a/util"
	other "example.com/b/util"
	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string { return util.Name() + other.Name() }
-- vendor/modules.txt --
-- vendor/example.com/a/util/util.go --
package util

import "example.com/b/util"

func Name() string { return "a over " + util.Name() + ", " }
-- vendor/example.com/b/util/util.go --
package util

import "example.com/b/util/internal/deep"

func Name() string { return deep.Name }
-- vendor/example.com/b/util/internal/deep/deep.go --
package deep

var Name = "b"
`, want: "a over b, b",
		},
		"a vendored file with cgo beside one without": {
			source: hook + `
-- message.go --
package my_plugin

import (
	"context"

	"example.com/c"
	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string { return c.Name }
-- vendor/example.com/c/cgo.go --
package c

import "C"

const Name = "cgo"
-- vendor/example.com/c/pure.go --
package c

const Name = "pure"
`, want: "pure",
		},
		"the SDK of aura wins over a vendored one": {
			source: hook + `
func message(context.Context, sdk.BeforeChatContext) string { return string(sdk.RoleUser) }
-- vendor/github.com/idelchi/aura/sdk/sdk.go --
package sdk

type BeforeChatContext struct{}

type Result struct{ Message string }

const RoleUser = "vendored"
-- vendor/github.com/idelchi/aura/sdk/version/version.go --
package version

const Version = "0.1.0"
`, want: "user",
		},
		"the SDK's version": {
			source: hook + `
func message(context.Context, sdk.BeforeChatContext) string { return sdkVersion }
-- version.go --
package my_plugin

import "github.com/idelchi/aura/sdk/version"

const sdkVersion = version.Version
`, want: "0.1.1",
		},
		"init runs before the hook, dependencies first": {
			source: hook + `
var order = "var"

func init() { order += ",init" }

func message(context.Context, sdk.BeforeChatContext) string { return order }
`, want: "var,init",
		},
		"a hook in a variable": {
			source: `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

var BeforeChat = func(context.Context, sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: "variable"}, nil
}
`, want: "variable",
		},
		"generic packages": {
			source: hook + `
-- generic.go --
package my_plugin

import (
	"cmp"
	"context"
	"slices"

	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string {
	if slices.Contains([]string{"a", "b"}, "b") && cmp.Compare(1, 2) < 0 {
		return "generic"
	}
	return ""
}
`, want: "generic",
		},
		"an interface of a package that is not imported": {
			source: hook + `
-- http.go --
package my_plugin

import (
	"context"
	"net/http"

	"github.com/idelchi/aura/sdk"
)

type body struct{}

func (body) Read([]byte) (int, error) { return 0, nil }

func message(ctx context.Context, _ sdk.BeforeChatContext) string {
	r, err := http.NewRequestWithContext(ctx, "PUT", "http://localhost/x", body{})
	if err != nil {
		return err.Error()
	}
	return r.Method
}
`, want: "PUT",
		},
		"nil for such an interface": {
			source: hook + `
-- http.go --
package my_plugin

import (
	"context"
	"net/http"
	"net/http/httptest"

	"github.com/idelchi/aura/sdk"
)

func message(ctx context.Context, _ sdk.BeforeChatContext) string {
	r, err := http.NewRequestWithContext(ctx, "HEAD", "http://localhost/x", nil)
	if err != nil {
		return err.Error()
	}
	r.Body = nil
	client := http.Client{Transport: nil}
	if client.Transport != nil || r.Body != nil {
		return "no"
	}
	return r.Method + httptest.NewRequest("GET", "/y", nil).URL.Path
}
`, want: "HEAD/y",
		},
		"an own interface for a compiled value": {
			source: hook + `
-- copy.go --
package my_plugin

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/idelchi/aura/sdk"
)

type reader interface{ Read(p []byte) (int, error) }

func open() reader { return strings.NewReader("[1, 2]") }

func message(ctx context.Context, c sdk.BeforeChatContext) string {
	var list []int
	if err := json.NewDecoder(open()).Decode(&list); err != nil {
		return err.Error()
	}
	return strings.Repeat("x", len(list))
}
`, want: "xx",
		},
		"an embedded compiled value": {
			source: hook + `
-- copy.go --
package my_plugin

import (
	"bufio"
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func message(ctx context.Context, c sdk.BeforeChatContext) string {
	text, _ := bufio.NewReader(struct{ *strings.Reader }{strings.NewReader("line\nrest")}).ReadString('\n')
	return strings.TrimSpace(text)
}
`, want: "line",
		},
		"String methods": {
			source: hook + `
-- text.go --
package my_plugin

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

type color int

func (color) String() string { return "green" }

func message(context.Context, sdk.BeforeChatContext) string { return fmt.Sprint(color(1)) }
`, want: "green",
		},
		"the plugin's name as argument": {
			source: hook + `
-- args.go --
package my_plugin

import (
	"context"
	"os"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func message(context.Context, sdk.BeforeChatContext) string { return strings.Join(os.Args, " ") }
`, want: "my-plugin",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := beforeChat(t, mustLoad(t, tt.source))
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
