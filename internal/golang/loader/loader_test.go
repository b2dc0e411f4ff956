package loader_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/golang/library"
	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// body is a plugin with one file, whose declarations follow from line 3 on.
const body = `
-- go.mod --
module my-plugin
-- main.go --
package my_plugin

`

// write writes the files of an archive and returns their directory. A file with the text "-> name" becomes a link.
func write(tb testing.TB, archive string) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "my-plugin")
	for _, f := range txtar.Parse([]byte(archive)).Files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			tb.Fatal(err)
		}
		if target, ok := strings.CutPrefix(strings.TrimSpace(string(f.Data)), "-> "); ok {
			testneed.Link(tb, target, at)
			continue
		}
		if err := os.WriteFile(at, f.Data, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// compiler returns the target of a toolchain with a small library.
func compiler(tb testing.TB, unsafe bool) loader.Target {
	tb.Helper()
	root := write(tb, "-- src/fmt/a.go --\n-- src/strings/a.go --\n-- src/weak/a.go --\n-- src/internal/abi/a.go --\n-- src/os/exec/a.go --\n-- src/embed/a.go --\n")
	return loader.Target{Unsafe: unsafe, Compiled: true, Root: root, Minor: 26}
}

// interpreter returns the target of the interpreter.
func interpreter(unsafe bool) loader.Target {
	return loader.Target{Unsafe: unsafe, System: func() *library.Library { return library.With("", "") }}
}

// load loads a plugin for its target. It lowers the source for the interpreter only; the compiler checks types itself.
func load(dir string, target loader.Target) error {
	s, err := loader.Read(dir, target)
	if err == nil && !target.Compiled {
		_, err = s.Lower()
	}
	return err
}

// same stands for the message of the other target.
const same = "same"

// TestErrors loads plugins that must be refused, for both targets. The whole message is compared, and Check must find the same and nothing else.
func TestErrors(t *testing.T) {
	t.Parallel()
	const (
		enable = `: plugins may not use this package in safe mode; set ` +
			`"plugins: unsafe: true" in features/plugins.yaml or start aura with --unsafe-plugins`
		vendor  = `not vendored; run "go mod vendor" in the plugin's directory`
		without = `not vendored; do without it, or run "go mod vendor" in the plugin's directory if it is a dependency`
		pure    = "assembly, C and object files are not compiled into plugins; remove the file, or use a package that is pure Go"
		cgo     = `importing "C": plugins cannot use cgo; use a package that is pure Go`
		library = " (it is not in the interpreter's standard library, which is that of Go 1.26 without special packages and with few generic types)" +
			"; use another function or type, or write it yourself"
	)
	for name, tt := range map[string]struct{ source, interpreted, compiled string }{
		"restricted":           {body + `import _ "os/exec"`, `main.go:3: importing "os/exec"` + enable, same},
		"restricted, second":   {body + "import (\n\t_ \"fmt\"\n\t_ \"syscall\"\n)", `main.go:5: importing "syscall"` + enable, same},
		"unsafe":               {body + `import _ "unsafe"`, `main.go:3: importing "unsafe"` + enable, same},
		"restricted, vendored": {body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\n// Package x.\npackage x\n\nimport _ \"os/exec\"", `vendor/example.com/x/x.go:4: importing "os/exec"` + enable, same},
		"mark before go.mod":   {strings.Replace(strings.Replace(body, "module", "\ufeffmodule", 1), "my-plugin\n", "my-plugin\n\ngo 1.21\n", 1) + "func f() {\n\tfor range 3 {\n\t}\n}", "main.go:4:12: cannot range over 3 (untyped int constant): requires go1.22 or later", ""},
		"before Go 1.22":       {strings.Replace(body, "my-plugin\n", "my-plugin\n\ngo 1.21\n", 1) + "func f() {\n\tfor range 3 {\n\t}\n}", "main.go:4:12: cannot range over 3 (untyped int constant): requires go1.22 or later", ""},
		"cgo":                  {body + `import "C"`, "main.go:3: " + cgo, same},
		"cgo, other quotes":    {body + "import `C`", "main.go:3: " + cgo, same},
		"cgo, vendored":        {body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\npackage x\n\nimport \"C\"", "vendor/example.com/x/x.go:3: " + cgo, same},
		"not vendored":         {body + `import _ "example.com/x"`, `main.go:3: importing "example.com/x": ` + vendor, same},
		"replaced":             {strings.Replace(body, "my-plugin\n", "my-plugin\n\nrequire example.com/x v1.0.0\n\nreplace example.com/x => ../../x\n", 1) + `import _ "example.com/x"`, `main.go:3: importing "example.com/x": ` + vendor, same},
		"no such library":      {body + `import _ "nosuch"`, `main.go:3: importing "nosuch": not in the interpreter's standard library (that of Go 1.26 without special packages) and ` + without, `main.go:3: importing "nosuch": not in the standard library of this Go toolchain and ` + without},
		"new library":          {body + `import _ "weak"`, `main.go:3: importing "weak": not in the interpreter's standard library (that of Go 1.26 without special packages) and ` + without, ""},
		"internal library":     {body + `import _ "internal/abi"`, `main.go:3: importing "internal/abi": not in the interpreter's standard library (that of Go 1.26 without special packages) and ` + without, `main.go:3: importing "internal/abi": not in the standard library of this Go toolchain and ` + without},
		"no such own package":  {body + `import _ "my-plugin/sub/words"`, `main.go:3: importing "my-plugin/sub/words": there is no directory sub/words; create it, or correct the path`, same},
		"own, without files":   {body + "import _ \"my-plugin/sub\"\n-- sub/readme.txt --\nnothing", `main.go:3: importing "my-plugin/sub": no Go files for SYSTEM in sub`, same},
		"own, hidden":          {body + "import _ \"my-plugin/.sub\"\n-- .sub/a.go --\npackage sub", `main.go:3: importing "my-plugin/.sub": hidden directories are not part of a plugin; rename it`, same},
		"vendored, hidden":     {body + "import _ \"example.com/.x/y\"\n-- vendor/example.com/.x/y/a.go --\npackage y", `main.go:3: importing "example.com/.x/y": hidden directories are not part of a plugin; rename it`, same},
		"linked package":       {body + "import _ \"my-plugin/sub\"\n-- real/a.go --\npackage sub\n-- sub --\n-> real", `main.go:3: importing "my-plugin/sub": sub is a link, which is not part of a plugin; copy the directory`, same},
		"linked file":          {body + "-- b.txt --\npackage my_plugin\n-- b.go --\n-> b.txt", "", "b.go:1: it is a link, and links are not part of a plugin; copy the file"},
		"relative":             {body + `import _ "./sub"`, `main.go:3: importing "./sub": relative imports do not exist in modules; write "my-plugin/sub"`, same},
		"upward":               {body + `import _ "my-plugin/../sub"`, `main.go:3: importing "my-plugin/../sub": hidden directories are not part of a plugin; rename it`, same},
		"doubled name":         {body + "import _ \"my-plugin/my-plugin\"\n-- my-plugin/a.go --\npackage a", `main.go:3: importing "my-plugin/my-plugin": the interpreter cannot tell "my-plugin/my-plugin" from "my-plugin"; rename one of them`, ""},
		"cycle":                {body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nimport _ \"my-plugin/b\"\n-- b/b.go --\npackage b\n\nimport _ \"my-plugin/a\"", `b/b.go:3: importing "my-plugin/a": the packages import each other in a cycle; move what both need to a third package`, same},
		"two packages":         {body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n-- a/b.go --\n\npackage b", "a/b.go:2: package b, but other files of the directory are package a", same},
		"package name":         {"-- go.mod --\nmodule example.com/my-plugin\n-- main.go --\n// Comment.\npackage main\n-- other.go --\npackage main\n", "main.go:2: package is main, but the module path in go.mod asks for package my_plugin (its last element, with underscores for hyphens)", same},
		"package name, second": {body + "-- other.go --\npackage other\n", "other.go:1: package is other, but the module path in go.mod asks for package my_plugin (its last element, with underscores for hyphens)", same},
		"name of the library":  {"-- go.mod --\nmodule strings\n-- main.go --\npackage strings\n", `go.mod:1: module "strings" has the name of a standard library package; choose another name, and change the package clause to match`, same},
		"restricted name":      {"-- go.mod --\nmodule unsafe\n-- main.go --\npackage unsafe\n", `go.mod:1: module "unsafe" has the name of a standard library package; choose another name, and change the package clause to match`, same},
		"no identifier":        {"-- go.mod --\nmodule example.com/a.b\n-- main.go --\npackage a\n", `go.mod:1: the module path gives the package name "a.b", which is no Go identifier; choose another`, same},
		"package main":         {"-- go.mod --\nmodule main\n-- main.go --\npackage main\n", "", "go.mod:1: the last element of the module's path is main, and a compiled plugin cannot be package main; choose another"},
		"module of aura":       {"-- go.mod --\nmodule github.com/idelchi/aura/plugins/x\n-- main.go --\npackage x\n", "", `go.mod:1: module "github.com/idelchi/aura/plugins/x" is located in aura's own module; choose another`},
		"package of aura":      {body + "import _ \"github.com/idelchi/aura/x\"\n-- vendor/github.com/idelchi/aura/x/x.go --\npackage x", "", `main.go:3: importing "github.com/idelchi/aura/x": aura's own packages are not available to plugins, except github.com/idelchi/aura/sdk`},
		"path for go":          {body + "import _ \"my-plugin/größe\"\n-- größe/x.go --\npackage x", "", `main.go:3: importing "my-plugin/größe": the go command refuses this path: invalid char 'ö'; rename the directory`},
		"SDK too new":          {body + "-- vendor/github.com/idelchi/aura/sdk/version/version.go --\npackage version\n\nconst Version = \"9.9.0\"", "plugin requires SDK ~9.9.0, host has 0.1.1", same},
		"syntax":               {body + "func f() {\n\tx := := 1\n}", "main.go:4:7: expected operand, found ':='", same},
		"syntax, line moved":   {body + "//line /etc/passwd:1\nfunc f() {\n\tx := := 1\n}", "main.go:5:7: expected operand, found ':='", same},
		"syntax, vendored":     {body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\npackage x\n\nfunc (", "vendor/example.com/x/x.go:3:8: expected ')', found 'EOF'", same},
		"no package clause":    {"-- go.mod --\nmodule my-plugin\n-- main.go --\n\npackage 3", "main.go:2:9: expected 'IDENT', found 3", same},
		"empty file":           {"-- go.mod --\nmodule my-plugin\n-- main.go --\n", "main.go:1:1: expected 'package', found 'EOF'", same},
		"no source":            {"-- go.mod --\nmodule my-plugin\n", "DIR has no Go files: write at least one that declares package my_plugin", same},
		"only tests":           {"-- go.mod --\nmodule my-plugin\n-- a_test.go --\npackage my_plugin\n", "DIR has no Go files: write at least one that declares package my_plugin", same},
		"undefined":            {body + "func f() int { return missing }", "main.go:3:23: undefined: missing", ""},
		"undefined, own":       {body + "import _ \"my-plugin/a\"\n-- a/a.go --\npackage a\n\nfunc f() { missing() }", "a/a.go:3:12: undefined: missing", ""},
		"no such function":     {body + "import \"strings\"\n\nvar x = strings.Nothing()", "main.go:5:17: undefined: strings.Nothing" + library, ""},
		"generic library":      {body + "import \"hash/maphash\"\n\nvar x = maphash.Comparable[int]", "main.go:5:17: undefined: maphash.Comparable" + library, `main.go:3: importing "hash/maphash": not in the standard library of this Go toolchain and ` + without},
		"kept recover":         {body + "func f() {\n\trescue := func() { _ = recover() }\n\tdefer rescue()\n}", "main.go:4: a function literal that calls recover is kept; the interpreter recovers only in a literal that is deferred where it is written: defer func() { ... }()", ""},
		"no body":              {body + "func f() int\n", "main.go:3: the function f has no body; write it in Go", same},
		"escaped path":         {body + `import _ "\x6fs/exec"`, `main.go:3: importing "os/exec": the path is written with escapes; write it as it is`, same},
		"return in a path":     {body + "import _ `f\rmt`", `main.go:3: importing "fmt": the path is written with escapes; write it as it is`, same},
		"doubled slash":        {body + "import _ \"my-plugin//sub\"\n-- sub/a.go --\npackage sub", `main.go:3: importing "my-plugin//sub": this is no import path; write the path of a package, such as my-plugin/words`, same},
		"slash at the end":     {body + "import _ \"my-plugin/sub/\"\n-- sub/a.go --\npackage sub", `main.go:3: importing "my-plugin/sub/": this is no import path; write the path of a package, such as my-plugin/words`, same},
		"absolute path":        {body + "import _ \"/etc\"\n-- vendor/etc/a.go --\npackage etc", `main.go:3: importing "/etc": this is no import path; write the path of a package, such as my-plugin/words`, same},
		"program":              {body + "import _ \"my-plugin/sub\"\n-- sub/a.go --\npackage main", "", `main.go:3: importing "my-plugin/sub": it is a program, not a package that can be imported; rename the package`},
		"documentation":        {body + "import _ \"my-plugin/sub\"\n-- sub/a.go --\npackage documentation", "", "sub/a.go:1: the go command ignores files of a package documentation; rename the package"},
		"internal, elsewhere":  {body + "import _ \"a.com/x/internal/y\"\n-- vendor/a.com/x/internal/y/y.go --\npackage y", "", `main.go:3: importing "a.com/x/internal/y": only packages in a.com/x can import it, because its path has the element internal; move what you need to another package`},
		"internal module":      {"-- go.mod --\nmodule a.com/internal/x\n-- main.go --\npackage x\n", "", "go.mod:1: the module's path has the element internal, so that the program of a compiled plugin cannot import it; choose another"},
		"vendor in a path":     {body + "import _ \"my-plugin/vendor/y\"\n-- vendor/y/y.go --\npackage y", "", `main.go:3: importing "my-plugin/vendor/y": the go command reserves the path "my-plugin/vendor/y" for other purposes; rename the directory`},
		"reserved module":      {"-- go.mod --\n\n// Comment.\nmodule all\n-- main.go --\npackage all\n", "", `go.mod:3: the go command reserves the path "all" for other purposes; choose another`},
		"bad constraint":       {body + "-- b.go --\n\n//go:build (\n\npackage my_plugin\n", "b.go:2: parsing //go:build line: missing close paren; correct the build constraint", same},
		"declared twice":       {body + "func f() { x := 1; x := 2; _ = x }", "main.go:3:22: no new variables on left side of :=", ""},
		"init with parameters": {body + "func init(x int) {}", "main.go:3:6: func init must have no arguments and no return values", ""},
		"wrong type argument":  {body + "func g[T ~int](t T) {}\n\nfunc f() { g(\"a\") }", "main.go:5:12: string does not satisfy ~int (string missing in ~int)", ""},
		"invalid type":         {body + "var x int = \"invalid type\"", "main.go:3:13: cannot use \"invalid type\" (untyped string constant) as int value in variable declaration", ""},
		"assembly":             {body + "-- a.s --\n//\n", "", "a.s:1: " + pure},
		"assembly, vendored":   {body + "import _ \"example.com/x\"\n-- vendor/example.com/x/x.go --\npackage x\n-- vendor/example.com/x/x.s --\n//\n", "", "vendor/example.com/x/x.s:1: " + pure},
		"C":                    {body + "-- a.c --\n//\n", "", "a.c:1: " + pure},
		"object":               {body + "-- a.syso --\n//\n", "", "a.syso:1: " + pure},
		"linkname":             {body + "//go:linkname now time.now\nfunc now() {}\n", "", "main.go:3: //go:linkname is refused: a plugin uses only what packages export; remove it"},
		"embed, no import":     {body + "//go:embed go.mod\nvar text string\n", "main.go:3: //go:embed: only a file that imports \"embed\" can have this directive", same},
		"embed, a function":    {body + "import _ \"embed\"\n\n//go:embed go.mod\nfunc f() {}\n", "main.go:5: //go:embed: it must stand directly above a variable of the package", same},
		"embed, in a function": {body + "import _ \"embed\"\n\nfunc f() {\n\t//go:embed go.mod\n\tvar text string\n\t_ = text\n}\n", "main.go:6: //go:embed: it must stand directly above a variable of the package", same},
		"embed, the end":       {body + "import _ \"embed\"\n\nvar text string\n\n//go:embed go.mod\n", "main.go:7: //go:embed: it must stand directly above a variable of the package", same},
		"embed, variables":     {body + "import _ \"embed\"\n\n//go:embed go.mod\nvar a, b string\n", "main.go:5: //go:embed: it cannot be used for several variables", same},
		"embed, a value":       {body + "import _ \"embed\"\n\n//go:embed go.mod\nvar a = \"a\"\n", "main.go:5: //go:embed: the variable a must not have a value of its own", same},
		"embed, no pattern":    {body + "import _ \"embed\"\n\n//go:embed \nvar a string\n", "main.go:5: //go:embed: it names no file", same},
		"embed, half a string": {body + "import _ \"embed\"\n\n//go:embed \"go.mod\nvar a string\n", "main.go:5: //go:embed: the string \"go.mod does not end", same},
		"embed, two strings":   {body + "import _ \"embed\"\n\n//go:embed `go.mod``main.go`\nvar a string\n", "main.go:5: //go:embed: \"`main.go`\" follows a string without a space", same},
		"embed, nothing":       {body + "import _ \"embed\"\n\n//go:embed *.txt\nvar a string\n", "main.go:5: //go:embed: pattern *.txt: no file matches", same},
		"embed, above":         {body + "import _ \"embed\"\n\n//go:embed ../x\nvar a string\n", "main.go:5: //go:embed: pattern ../x: it is no pattern of paths below the package", same},
		"embed, absolute":      {body + "import _ \"embed\"\n\n//go:embed /etc/passwd\nvar a string\n", "main.go:5: //go:embed: pattern /etc/passwd: it is no pattern of paths below the package", same},
		"embed, bad pattern":   {body + "import _ \"embed\"\n\n//go:embed [\nvar a string\n", "main.go:5: //go:embed: pattern [: it is no pattern of paths below the package", same},
		"embed, hidden":        {body + "import _ \"embed\"\n\n//go:embed .x\nvar a string\n-- .x --\nx", "main.go:5: //go:embed: pattern .x: .x is hidden or a link, and neither is part of a plugin", same},
		"embed, all hidden":    {body + "import _ \"embed\"\n\n//go:embed all:d\nvar a string\n-- d/.x --\nx", "main.go:5: //go:embed: pattern all:d: d/.x is hidden or a link, and neither is part of a plugin", same},
		"embed, a link":        {body + "import _ \"embed\"\n\n//go:embed b\nvar a string\n-- x --\nx-- b --\n-> x", "main.go:5: //go:embed: pattern b: no file matches", same},
		"embed, git":           {body + "import _ \"embed\"\n\n//go:embed .git/x\nvar a string\n-- .git/x --\nx", "main.go:5: //go:embed: pattern .git/x: .git/x cannot be embedded: its name is not portable", same},
		"embed, type":          {body + "import _ \"embed\"\n\n//go:embed go.mod\nvar a int\n", "main.go:6: go:embed cannot set a variable of type int; use string, []byte or embed.FS", ""},
		"embed, two files":     {body + "import _ \"embed\"\n\n//go:embed go.mod main.go\nvar a []byte\n", "main.go:6: go:embed has 2 files for a, which holds one; use embed.FS", ""},
		"cgo flags":            {body + "//go:cgo_ldflag \"-l\"\n", "", "main.go:3: //go:cgo_ldflag is refused: plugins are compiled without cgo; remove it"},
		"too large a file":     {body + "-- b.go --\npackage my_plugin\n/*" + strings.Repeat("x", 8<<20) + "*/\n", "reading the plugin's source: read b.go: the file is larger than 8388608 bytes, which is the limit", same},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, tt.source)
			shown := func(err error) string {
				text := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
				return strings.ReplaceAll(strings.ReplaceAll(text, dir, "DIR"), runtime.GOOS+"/"+runtime.GOARCH, "SYSTEM")
			}
			wants := map[string]string{"interpreted": tt.interpreted, "compiled": tt.compiled}
			if tt.compiled == same {
				wants["compiled"] = tt.interpreted
			}
			for of, target := range map[string]loader.Target{"interpreted": interpreter(false), "compiled": compiler(t, false)} {
				got := ""
				if err := load(dir, target); err != nil {
					got = shown(err)
				}
				if got != wants[of] {
					t.Errorf("%s:\ngot  %s\nwant %s", of, got, wants[of])
				}
				_, all := loader.Check(dir, target)
				var found []string
				for _, p := range all {
					if !p.Soft && (of == "interpreted" || p.Rule != loader.RuleType) {
						found = append(found, shown(p))
					}
				}
				if got := strings.Join(found, "\n"); got != wants[of] {
					t.Errorf("%s: Check found\n%s\nwant %s", of, got, wants[of])
				}
			}
		})
	}
}

// TestAccepted loads what looks like an error and is none.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		source string
		unsafe bool
	}{
		"plain":               {body, false},
		"tests":               {body + "-- a_test.go --\npackage other\n", false},
		"other directories":   {body + "-- sub/a.go --\npackage sub\n\nfunc {\n", false},
		"excluded":            {body + "-- gen.go --\n//go:build ignore\n\npackage main\n-- a_plan9.go --\npackage other\n-- a_plan9.s --\n//\n", false},
		"hidden files":        {body + "-- .a.go --\npackage other\n-- _b.go --\npackage other\n", false},
		"unused":              {body + "func f() {\n\tvar x int\n}\n", false},
		"vendored cgo":        {body + "import _ \"a.com/x\"\n-- vendor/a.com/x/c.go --\npackage x\n\nimport \"C\"\n-- vendor/a.com/x/x.go --\npackage x\n", false},
		"SDK":                 {body + "import (\n\t_ \"github.com/idelchi/aura/sdk\"\n\t_ \"github.com/idelchi/aura/sdk/version\"\n)\n", false},
		"restricted, granted": {body + "import (\n\t_ \"os/exec\"\n\t_ \"syscall\"\n\t_ \"unsafe\"\n)\n", true},
		"imported twice":      {body + "import (\n\t_ \"my-plugin/a\"\n\t_ \"my-plugin/b\"\n)\n-- a/a.go --\npackage a\n-- b/b.go --\npackage b\n\nimport _ \"my-plugin/a\"\n", false},
		"internal, own":       {body + "import _ \"my-plugin/internal/a\"\n-- internal/a/a.go --\npackage a\n", false},
		"internal, vendored":  {body + "import _ \"a.com/x\"\n-- vendor/a.com/x/x.go --\npackage x\n\nimport _ \"a.com/x/internal/y\"\n-- vendor/a.com/x/internal/y/y.go --\npackage y\n", false},
		"cgo with directives": {body + "import _ \"a.com/x\"\n-- vendor/a.com/x/c.go --\npackage x\n\nimport \"C\"\n\n//go:linkname a b\nfunc a()\n-- vendor/a.com/x/x.go --\npackage x\n", false},
		"generate":            {body + "//go:generate false\n", false},
		"embed":               {body + "import \"embed\"\n\n//go:embed go.mod\nvar text string\n\nvar (\n\t//go:embed `go.mod`\n\t//go:embed *.go\n\n\t// Comment.\n\tall embed.FS\n\n\t//go:embed \"go.mod\"\n\tb []byte\n)\n", false},
		"toolchain line":      {strings.Replace(body, "my-plugin\n", "my-plugin\n\ngo 1.25\n\ntoolchain go9.9.9\n", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := write(t, tt.source)
			for of, target := range map[string]loader.Target{"interpreted": interpreter(tt.unsafe), "compiled": compiler(t, tt.unsafe)} {
				if err := load(dir, target); err != nil {
					t.Errorf("%s: %v", of, err)
				}
				_, all := loader.Check(dir, target)
				for _, p := range all {
					if !p.Soft && p.Rule != loader.RuleUnused {
						t.Errorf("%s: Check found %v", of, p)
					}
				}
			}
		})
	}
}

// FuzzLoad loads a plugin with any text. Whoever asks must get the same: Check finds an error if and only if loading fails, and the error
// with which it fails is among those that Check finds.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"package my_plugin\n", "package a\n", "package", "package my_plugin; import \"C\"", "package my_plugin; import `fmt`; var _ = fmt.Sprint(1)",
		"package my_plugin; import x \"my-plugin\"", "package my_plugin; import (\"nosuch\"; \"os/exec\"; \"a.com/b\")",
		"package my_plugin; func f() { x := 1 }; var y = missing.A + 1", "package my_plugin; func f[T any](t T) T { return t }; var x = f(1)",
		"//go:build ignore\n\npackage my_plugin", "package my_plugin; type t struct { t }; var x t", "package my_plugin; func f() { goto l; l: }",
		"package my_plugin\n\n//go:linkname a b\nfunc a()\n", "package my_plugin; import \"syscall\"; var x syscall.Nothing",
	} {
		f.Add(seed)
	}
	dir := write(f, body)
	targets := []loader.Target{interpreter(false), interpreter(true), compiler(f, false)}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			err := load(dir, target)
			_, found := loader.Check(dir, target)
			found = slices.DeleteFunc(found, func(p *loader.Error) bool {
				return p.Soft || target.Compiled && (p.Rule == loader.RuleType || p.Rule == loader.RuleUnused)
			})
			if (err == nil) != (len(found) == 0) {
				t.Fatalf("%+v: loading: %v, Check: %v", target, err, found)
			}
			if err != nil && !slices.ContainsFunc(found, func(p *loader.Error) bool { return p.Error() == err.Error() }) {
				t.Fatalf("%+v: loading: %v, Check: %v", target, err, found)
			}
		}
	})
}
