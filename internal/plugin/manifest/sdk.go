package manifest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// sdkVersionFile is the file in which a vendored SDK declares its version.
const sdkVersionFile = vendorDir + "/github.com/idelchi/aura/sdk/version/version.go"

// HasVendoredSDK reports whether the SDK is in the vendor directory of a plugin, with a version or without.
func HasVendoredSDK(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path.Dir(path.Dir(sdkVersionFile)))))

	return err == nil
}

// VendoredSDK returns the version of the SDK that is vendored in the plugin in dir. ok is false if no SDK is vendored.
func VendoredSDK(dir string) (version string, ok bool, err error) {
	file := filepath.Join(dir, filepath.FromSlash(sdkVersionFile))

	if _, err := os.Stat(file); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}

		return "", false, fmt.Errorf("reading the vendored SDK's version: %w", err)
	}

	set := token.NewFileSet()

	parsed, err := pluginsource.ParseFile(set, file)
	if err != nil {
		return "", false, fmt.Errorf("reading the vendored SDK's version: %w", err)
	}

	version, ok = stringConstant(set, parsed, "Version")
	if !ok {
		return "", false, fmt.Errorf("%s: there is no constant Version: vendor the SDK again with `go mod vendor`", file)
	}

	return version, true, nil
}

// stringConstant returns the value of a top-level constant, which may refer to other constants of the file. Other errors in the
// file are ignored.
func stringConstant(set *token.FileSet, file *ast.File, name string) (string, bool) {
	if (constants{}).of(file).size(name) > maxVersion {
		return "", false
	}

	lenient := types.Config{Error: func(error) {}}

	pkg, _ := lenient.Check(file.Name.Name, set, []*ast.File{file}, nil) // after an error, pkg holds what could be checked
	if pkg == nil {
		return "", false
	}

	found, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok || found.Val().Kind() != constant.String {
		return "", false
	}

	return constant.StringVal(found.Val()), true
}

// maxVersion is the longest version that is read, in bytes. Without this limit, a few lines of source can define a constant of
// any length.
const maxVersion = 256

// constants maps the names of constants to their expressions.
type constants map[string]ast.Expr

// of adds the constants that a file declares at its top level. If a declaration omits its expression, it repeats the previous
// one.
func (c constants) of(file *ast.File) constants {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}

		var values []ast.Expr

		for _, spec := range group.Specs {
			named, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}

			if len(named.Values) > 0 {
				values = named.Values
			}

			for i, name := range named.Names {
				if i < len(values) {
					c[name.Name] = values[i]
				}
			}
		}
	}

	return c
}

// size returns a lower bound for the length of a constant, in bytes, capped at maxVersion+1. While it measures a constant, it
// removes the constant from the map, so that a constant that refers to itself does not recurse.
func (c constants) size(name string) int {
	value, ok := c[name]
	if !ok {
		return 0
	}

	delete(c, name)

	n := min(c.measure(value), maxVersion+1)
	c[name] = &ast.BasicLit{Kind: token.STRING, Value: strings.Repeat("x", n)}

	return n
}

func (c constants) measure(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.BasicLit:
		return len(e.Value)
	case *ast.Ident:
		return c.size(e.Name)
	case *ast.ParenExpr:
		return c.measure(e.X)
	case *ast.BinaryExpr:
		return c.measure(e.X) + c.measure(e.Y)
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return c.measure(e.Args[0])
		}
	}

	return 0
}

// CompatibleSDK checks whether a host with one version of the SDK can run a plugin written for another. The major and minor
// numbers must be equal, and the host must not be older.
func CompatibleSDK(pluginVersion, hostVersion string) error {
	plugin, host := "v"+strings.TrimPrefix(pluginVersion, "v"), "v"+strings.TrimPrefix(hostVersion, "v")

	if !semver.IsValid(plugin) {
		return fmt.Errorf("reading the plugin's SDK version %q: it is not a semantic version", pluginVersion)
	}

	if !semver.IsValid(host) {
		return fmt.Errorf("reading the host's SDK version %q: it is not a semantic version", hostVersion)
	}

	if semver.MajorMinor(plugin) != semver.MajorMinor(host) || semver.Compare(host, plugin) < 0 {
		return fmt.Errorf("plugin requires SDK ~%s, host has %s", pluginVersion, hostVersion)
	}

	return nil
}
