package manifest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/files"
)

// Asks are what a plugin asks for beyond running in the sandbox with aura's defaults, as far as its files tell. What is not
// among them is not granted, whatever the plugin says when it runs. The lists are sorted and never nil.
type Asks struct {
	// Unconfined means that Sandboxable may return false: the plugin's files are not confined then.
	Unconfined bool `json:"unconfined"`
	// Env are the variables that say more than how to print text; * is all of them.
	Env []string `json:"env"`
	// Unsafe are the imports that need unsafe mode, those of vendored packages included.
	Unsafe []string `json:"unsafe_imports"`
	// Network means that the plugin, or a package that it vendors, imports what can open connections.
	Network bool `json:"network"`
	// Memory is the limit in bytes if it is above the default, and else 0.
	Memory int64 `json:"memory_bytes"`
}

// Restricted are the packages that a plugin can import in unsafe mode only.
func Restricted() []string { return []string{"os/exec", "syscall", "unsafe"} }

// Ask finds what a plugin asks for. It reads the plugin's files and runs nothing.
func Ask(p Plugin) Asks {
	a := Asks{Env: []string{}, Unsafe: []string{}, Unconfined: unconfined(p.Dir)}
	for _, name := range p.Manifest.Env {
		if !harmless(name) {
			a.Env = append(a.Env, name)
		}
	}
	if p.Manifest.Limits.Memory > DefaultMemory {
		a.Memory = p.Manifest.Limits.Memory
	}
	for _, path := range notableImports(p.Dir) {
		if slices.Contains(Restricted(), path) {
			a.Unsafe = append(a.Unsafe, path)
		}
		// Whoever makes system calls needs no package to open a socket.
		a.Network = true
	}
	slices.Sort(a.Env)
	slices.Sort(a.Unsafe)
	a.Env, a.Unsafe = slices.Compact(a.Env), slices.Compact(a.Unsafe)
	return a
}

// Empty reports whether nothing is asked for.
func (a Asks) Empty() bool {
	return !a.Unconfined && !a.Network && a.Memory == 0 && len(a.Env)+len(a.Unsafe) == 0
}

// Beyond is what is asked for that was not asked for before.
func (a Asks) Beyond(before Asks) Asks {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) || slices.Contains(b, "*") && s != "*" })
	}
	out := Asks{
		Unconfined: a.Unconfined && !before.Unconfined, Network: a.Network && !before.Network,
		Env: minus(a.Env, before.Env), Unsafe: minus(a.Unsafe, before.Unsafe),
	}
	if a.Memory > before.Memory {
		out.Memory = a.Memory
	}
	return out
}

// List names what is asked for, a phrase each.
func (a Asks) List() []string {
	out := []string{}
	if a.Unconfined {
		out = append(out, "no sandbox for its files (Sandboxable)")
	}
	switch {
	case slices.Contains(a.Env, "*"):
		out = append(out, "all environment variables")
	case len(a.Env) > 0:
		out = append(out, "variables "+strings.Join(a.Env, ", "))
	}
	if a.Network {
		out = append(out, "the network")
	}
	if len(a.Unsafe) > 0 {
		out = append(out, "unsafe mode for "+strings.Join(a.Unsafe, ", "))
	}
	if a.Memory > 0 {
		out = append(out, fmt.Sprintf("memory %d MiB", a.Memory>>20))
	}
	return out
}

// plain are the variables that every plugin may read without anybody being asked, beside those that begin with LC_.
var plain = []string{
	"COLORTERM", "COLUMNS", "HOME", "LANG", "LANGUAGE", "LINES", "LOGNAME", "NO_COLOR", "PATH", "PWD", "SHELL", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER",
}

func harmless(name string) bool {
	return slices.Contains(plain, name) || strings.HasPrefix(name, "LC_")
}

// unconfined reports whether a function Sandboxable does anything but return true.
func unconfined(dir string) bool {
	list, err := goFiles(dir)
	if err != nil {
		return false
	}
	for _, file := range list {
		data, err := files.Read(file, files.MaxText)
		if err != nil || !bytes.Contains(data, []byte("Sandboxable")) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, data, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "Sandboxable" && !returnsTrue(f.Body) {
				return true
			}
		}
	}
	return false
}

func returnsTrue(body *ast.BlockStmt) bool {
	if body == nil || len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	value, ok := r.Results[0].(*ast.Ident)
	return ok && value.Name == "true"
}

// connecting are packages outside of net that open connections.
var connecting = []string{"crypto/tls", "log/syslog", "expvar"}

// offline are packages of net that open none.
var offline = []string{"net/url", "net/netip", "net/mail"}

func notable(path string) bool {
	switch {
	case slices.Contains(Restricted(), path), slices.Contains(connecting, path), path == "net":
		return true
	default:
		return strings.HasPrefix(path, "net/") && !slices.Contains(offline, path)
	}
}

// notableImports are the imports of a plugin and of what it vendors that matter to whoever grants something. Most files import none
// of them, so only the others are parsed.
func notableImports(dir string) []string {
	var out []string
	// A file that cannot be read or parsed cannot be loaded either.
	_ = eachFile(dir, "", func(string) bool { return true }, func(_, rel string, _ fs.FileMode) error {
		file := filepath.Join(dir, filepath.FromSlash(rel))
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		data, err := files.Read(file, files.MaxText)
		if err != nil || !mentions(data) || !counts(file) {
			return nil //nolint:nilerr // see above
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, data, parser.ImportsOnly)
		if err != nil {
			return nil //nolint:nilerr // see above
		}
		for _, spec := range parsed.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && notable(path) {
				out = append(out, path)
			}
		}
		return nil
	})
	return out
}

// mentions reports whether a source may import a notable package.
func mentions(source []byte) bool {
	for _, path := range slices.Concat(Restricted(), connecting, []string{"net"}) {
		for _, quote := range []string{`"`, "`"} {
			if bytes.Contains(source, []byte(quote+path)) {
				return true
			}
		}
	}
	return false
}
