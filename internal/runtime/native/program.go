package native

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/shared"
)

// ours is the main module of every program. It contains the SDK and the packages of the shim, at the paths that they have in aura.
const ours = loader.AuraModule

// mainDir is the directory of the main package.
const mainDir = "cmd/plugin"

//go:embed link/*.go shim/*.go program/sdk.go.txt
var embedded embed.FS

// tree returns the files of the program that is built from a source: paths with slashes, and contents. sdk is the source of the SDK's
// module. The vendor directory has nothing but what was read. No file of the plugin other than Go source and what it embeds is part of it, so its go.mod
// decides nothing.
func (s *Source) tree(sdk map[string]string, t Toolchain) (map[string][]byte, error) {
	out := make(map[string][]byte)
	for name, text := range sdk {
		if strings.HasSuffix(name, ".go") {
			out["sdk/"+name] = []byte(text)
		}
	}
	if err := errors.Join(copyPackages(out, "shared", shared.Source, "exact", "frame"), copyPackages(out, "internal/runtime/native", embedded, "link", "shim")); err != nil {
		return nil, err
	}
	text, err := embedded.ReadFile("program/sdk.go.txt")
	if err != nil {
		return nil, err
	}
	out["sdk/compiled_aura.go"] = text
	out[mainDir+"/main.go"] = s.mainFile()
	for _, p := range s.Packages {
		for name, text := range s.withoutExits(p) {
			out[path.Join("vendor", p.Path, name)] = text
		}
		for _, list := range p.Embedded {
			for _, file := range list {
				out[path.Join("vendor", p.Path, file.Name)] = []byte(file.Text)
			}
		}
	}
	out["go.mod"], out["vendor/modules.txt"] = s.modules(t)
	return out, s.addOverlay(out, t)
}

// copyPackages adds the files of packages, without tests, to a tree below the directory at.
func copyPackages(tree map[string][]byte, at string, from embed.FS, dirs ...string) error {
	for _, dir := range dirs {
		entries, err := from.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			text, err := from.ReadFile(path.Join(dir, e.Name()))
			if err != nil {
				return err
			}
			tree[path.Join(at, dir, e.Name())] = text
		}
	}
	return nil
}

// modules returns go.mod and modules.txt. Each package is a module of its own if it can be, so that modules.txt needs no knowledge of the
// modules that the packages came from. Its version is part of the file names in stacks, by which the host recognizes the plugin's frames.
func (s *Source) modules(t Toolchain) (mod, list []byte) {
	packages := map[string][]string{}
	for _, p := range s.Packages {
		m := moduleOf(p.Path)
		packages[m] = append(packages[m], p.Path)
	}
	mod = fmt.Appendf(nil, "module %s\n\ngo 1.%d\n", ours, t.Minor)
	for _, m := range slices.Sorted(maps.Keys(packages)) {
		v := versionOf(m)
		mod = fmt.Appendf(mod, "\nrequire %s %s\n", m, v)
		list = fmt.Appendf(list, "# %s %s\n## explicit; go 1.%d\n%s\n", m, v, t.Minor, strings.Join(packages[m], "\n"))
	}
	return mod, list
}

// moduleOf returns the path of the module that a package is written to: the longest beginning of its path that can be one. The path of a
// module must not end with an element such as v1, and begins with gopkg.in/ only if it ends with .v1 or the like.
func moduleOf(importPath string) string {
	for m := importPath; ; m = path.Dir(m) {
		// A path with one element can always be the path of a module.
		if _, _, ok := module.SplitPathVersion(m); ok || !strings.Contains(m, "/") {
			return m
		}
	}
}

// versionOf returns a version that fits the path of a module.
func versionOf(modulePath string) string {
	_, major, _ := module.SplitPathVersion(modulePath)
	major = strings.TrimLeft(major, "/.")
	if major == "" {
		return "v0.0.0"
	}
	return strings.TrimSuffix(major, "-unstable") + ".0.0"
}

// mainFile returns the main package, which tells the shim what the plugin exports.
func (s *Source) mainFile() []byte {
	facts := s.Facts(shared.Growing())
	values := s.values()
	var functions bytes.Buffer
	functions.WriteString("\t\tHooks: []shim.Function{\n")
	for _, point := range hookpoint.All() {
		writeFunction(&functions, pluginsource.Hook(point), values)
	}
	functions.WriteString("\t\t},\n\t\tOthers: []shim.Function{\n")
	for _, pair := range pluginsource.Pairs() {
		writeFunction(&functions, pair.Describe, values)
		writeFunction(&functions, pair.Run, values)
	}
	for _, f := range pluginsource.Optional() {
		writeFunction(&functions, f, values)
	}
	functions.WriteString("\t\t},\n")
	// A plugin that only listens to events is imported for its init functions.
	alias := "_"
	if bytes.Contains(functions.Bytes(), []byte("plugin.")) {
		alias = "plugin"
	}
	imports, found := "", ""
	if s.Imports("os/exec") {
		imports, found = "\t\"os/exec\"\n", "\t\tNotFound: exec.ErrNotFound,\n"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport (\n\t\"context\"\n\t\"reflect\"\n%s\n\t%s %q\n\t\"%s/internal/runtime/native/shim\"\n\t\"%[4]s/sdk\"\n)\n\n", imports, alias, s.Module, ours)
	b.WriteString("// The types of functions name these packages.\nvar (\n\t_ context.Context\n\t_ sdk.Context\n)\n\n")
	fmt.Fprintf(&b, "func main() {\n\tshim.Main(shim.Plugin{\n\t\tModule: %q, Package: %q,\n%s", s.Module, s.Package, found)
	fmt.Fprintf(&b, "\t\tEmits: %s, Disables: %s,\n", literal(facts.Emits), literal(facts.Disables))
	fmt.Fprintf(&b, "\t\tUnread: %s, Warnings: %s,\n", literal(facts.Unread), literal(facts.Warnings))
	b.Write(functions.Bytes())
	b.WriteString("\t})\n}\n")
	return b.Bytes()
}

// values returns an expression for everything that the plugin's own package declares: its value, or one of another type than that of a function if
// it has none.
func (s *Source) values() map[string]string {
	out := map[string]string{}
	for _, f := range s.Own().Files {
		for _, name := range pluginsource.DeclaredNames(f.Tree) {
			out[name] = "0"
		}
	}
	for _, d := range s.Declarations() {
		out[d.Name.Name] = "plugin." + d.Name.Name
		if d.Type != nil && d.Type.TypeParams != nil {
			out[d.Name.Name] = "shim.Generic{}"
		}
	}
	return out
}

// writeFunction writes an entry for a function. The packages in its type are imported under their own names.
func writeFunction(b *bytes.Buffer, fn pluginsource.Function, values map[string]string) {
	fmt.Fprintf(b, "\t\t\t{Name: %q, Want: reflect.TypeFor[%s](), Otherwise: %q", fn.Name, fn.Type, fn.Otherwise)
	if value, ok := values[fn.Name]; ok {
		fmt.Fprintf(b, ", Exported: true, Value: %s", value)
	}
	b.WriteString("},\n")
}

func literal(list []string) string {
	if len(list) == 0 {
		return "nil"
	}
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = strconv.Quote(text)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}
